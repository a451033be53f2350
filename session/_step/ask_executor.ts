import type { PlannedAction, ReplayPolicy } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitCompletes, admitConcurrent, admitReplayPolicy } from "../_live/port_admission.ts";

/** Asks the executor whether an action may be replayed. A throw propagates. */
export function askReplayPolicy({ request }: LiveRun, { action }: PlannedAction): ReplayPolicy {
  const { executor } = request;
  return executor.replayPolicy === undefined
    ? "never"
    : admitReplayPolicy(executor.replayPolicy(action));
}

/** Asks the executor whether an action's tool completes the run. A throw propagates. */
export function askCompletes({ request }: LiveRun, { toolName }: PlannedAction): boolean {
  const { executor } = request;
  return executor.completes !== undefined && toolName !== undefined &&
    admitCompletes(executor.completes(toolName));
}

/** Asks the executor whether an action may run at the same time as others. A throw propagates. */
export function askConcurrent({ request }: LiveRun, { action }: PlannedAction): boolean {
  const { executor } = request;
  return executor.concurrent !== undefined && admitConcurrent(executor.concurrent(action));
}
