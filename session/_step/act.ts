import type { UnsettledAction } from "../../logic/_recovery/mod.ts";
import { type PlannedAction, present, type ReplayPolicy } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitApproval, admitCompletes, admitReplayPolicy } from "../_live/port_admission.ts";
import type { ApprovalAnswer, ApproveAction } from "../run_options.ts";
import {
  brokenEnvironment,
  deniedResult,
  executedResult,
  hiddenResult,
  recordResult,
  skippedResult,
} from "./action_result.ts";
import { thrownInfo } from "../_live/thrown_info.ts";
import { interruptStep, interruptUntried } from "./interrupt_step.ts";
import { isSuspending, type Suspension } from "./suspension.ts";

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

/** Takes an action from its approval to its result. */
export async function act(
  live: LiveRun,
  action: UnsettledAction,
  resolvedBy?: string,
): Promise<Suspension | undefined> {
  const hidden = hiddenResult(live, action.planned);
  if (hidden !== undefined) return recordResult(live, action, hidden);
  const approver = live.options.approveAction;
  if (approver === undefined) return await execute(live, action, resolvedBy);
  const approval = await approve(live, approver, action);
  if (approval === "interrupted") return await interruptUntried(live, action, resolvedBy);
  if (approval.allow) return await execute(live, action, resolvedBy);
  const denial = present({ by: approver.id, reason: approval.reason });
  return recordResult(live, action, deniedResult(live, denial, resolvedBy));
}

/** Asks for approval, and leaves the wait out of the step's time. A throw propagates. */
async function approve(
  live: LiveRun,
  approver: ApproveAction,
  { stepIndex, ordinal, actionId, planned }: UnsettledAction,
): Promise<ApprovalAnswer | "interrupted"> {
  const { interrupt, timer, request, journal, events, clock } = live;
  const { action, toolName } = planned;
  await journal.flush();
  const asked = present({ stepIndex, ordinal, actionId, toolName, by: approver.id });
  const startedMs = clock.ms();
  if (!interrupt.aborted) events.emit({ type: "approval_requested", ...asked, action });
  const settled = await timer.pause(() =>
    interrupt.settle((signal) => {
      const question = { runId: request.runId, stepIndex, actionId, action, toolName, signal };
      return approver.decide(Object.freeze(present(question)));
    })
  );
  if (settled.kind === "threw") throw settled.error;
  if (settled.kind !== "returned") return "interrupted";
  const approval = admitApproval(settled.value);
  if (interrupt.aborted && approval.allow) return "interrupted";
  const durationMs = clock.ms() - startedMs;
  events.emit({ type: "approval_answered", ...asked, ...approval, durationMs });
  return approval;
}

/** Writes the intent, executes the action, and gathers its result. */
export async function execute(
  live: LiveRun,
  action: UnsettledAction,
  resolvedBy?: string,
): Promise<Suspension | undefined> {
  const { journal, clock, interrupt, events } = live;
  const { stepIndex, ordinal, actionId, planned } = action;
  const attempt = action.attempts + 1;
  const replayPolicy = askReplayPolicy(live, planned);
  const toolCompletes = askCompletes(live, planned);
  const which = { stepIndex, ordinal, actionId, attempt };
  const intent = {
    type: "action_intent",
    ...which,
    replayPolicy,
    resolvedBy,
    at: clock.iso(),
  } as const;
  journal.record(present(intent));
  await journal.flush();
  const startedMs = clock.ms();
  const { action: what, toolName } = planned;
  if (events.listening && !interrupt.aborted) {
    events.emit(present({ type: "action_started", ...which, action: what, toolName } as const));
  }
  const settled = await interrupt.settle((signal) => {
    const call = present({ action: what, toolName, actionId, attempt, signal });
    return live.request.executor.execute(Object.freeze(call));
  });
  const durationMs = clock.ms() - startedMs;
  switch (settled.kind) {
    case "returned": {
      const result = executedResult(live, settled.value, toolCompletes, durationMs);
      if (result.status === "environment_failed" && result.effect) live.abandoned.push(actionId);
      return recordResult(live, action, result);
    }
    case "threw":
      return recordResult(
        live,
        action,
        brokenEnvironment(live, thrownInfo(live, settled.error), toolCompletes, durationMs),
      );
    case "abandoned":
      live.abandoned.push(actionId);
      return await interruptStep(live);
    case "interrupted":
      return await interruptStep(live);
    case "not_started":
      if (isSuspending(live)) {
        journal.record({ type: "action_withdrawn", ...which, at: clock.iso() });
      } else recordResult(live, action, skippedResult(live));
      return await interruptStep(live);
  }
}
