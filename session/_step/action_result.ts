import type { UnsettledAction } from "../../logic/_recovery/mod.ts";
import { type ActionOutcome, type ActionResult, errorInfo, present } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitOutcome } from "../_live/port_admission.ts";

/** Gathers an action's result. */
export function recordResult(
  live: LiveRun,
  action: UnsettledAction,
  result: ActionResult,
): undefined {
  const { stepIndex, ordinal, actionId } = action;
  const which = { stepIndex, ordinal, actionId };
  live.journal.record({ type: "action_result", ...which, ...result });
  const { status, failed, durationMs } = result;
  live.events.emit({ type: "action_finished", ...which, status, failed, durationMs });
}

/** The result of an action that was not tried. */
export function skippedResult({ agent }: LiveRun, resolvedBy?: string): ActionResult {
  const { actionSkipped } = agent.syntheticObservations;
  return syntheticResult("not_executed", actionSkipped, present({ resolvedBy }));
}

/** The result of an action of which nobody knows what became. */
export function unknownResult({ agent }: LiveRun, resolvedBy?: string): ActionResult {
  const { actionOutcomeUnknown } = agent.syntheticObservations;
  return syntheticResult("unknown", actionOutcomeUnknown, present({ resolvedBy }));
}

/** The result of an action that the library itself speaks for. */
export function syntheticResult(
  status: "not_executed" | "unknown",
  observation: string,
  more: Pick<ActionResult, "denial" | "resolvedBy">,
): ActionResult {
  return {
    status,
    failed: false,
    observation,
    observationSynthetic: true,
    completed: false,
    toolCompletes: false,
    truncatedChars: 0,
    durationMs: 0,
    ...more,
  };
}

/** The result of an action from what its executor gave, which may be junk: then the environment broke. */
export function executedResult(
  live: LiveRun,
  value: unknown,
  toolCompletes: boolean,
  durationMs: number,
): ActionResult {
  try {
    return outcomeResult(live, admitOutcome(value), toolCompletes, durationMs);
  } catch (error) {
    return brokenEnvironment(live, error, toolCompletes, durationMs);
  }
}

/** The result of an action from its outcome. */
export function outcomeResult(
  live: LiveRun,
  outcome: ActionOutcome,
  toolCompletes: boolean,
  durationMs: number,
): ActionResult {
  const { rejected, environmentFailed } = live.agent.syntheticObservations;
  const result = { ...outcome, toolCompletes, durationMs };
  if (outcome.status === "executed" || outcome.observation !== "") return result;
  const observation = outcome.status === "not_executed" ? rejected : environmentFailed;
  return { ...result, observation, observationSynthetic: true };
}

/** The result of an action whose executor threw. */
export function brokenEnvironment(
  live: LiveRun,
  error: unknown,
  toolCompletes: boolean,
  durationMs: number,
): ActionResult {
  return {
    status: "environment_failed",
    failed: false,
    observation: live.agent.syntheticObservations.environmentFailed,
    observationSynthetic: true,
    completed: false,
    toolCompletes,
    truncatedChars: 0,
    durationMs,
    error: errorInfo(error),
  };
}
