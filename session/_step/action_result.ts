import type { UnsettledAction } from "../../logic/_recovery/mod.ts";
import {
  type ActionOutcome,
  type ActionResult,
  type Denial,
  errorInfo,
  type PlannedAction,
  present,
  toolNotVisibleText,
} from "../../types/mod.ts";
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
  const { durationMs } = result;
  const fate = result.status === "executed"
    ? { status: result.status, failed: result.failed }
    : { status: result.status };
  live.events.emit({ type: "action_finished", ...which, ...fate, durationMs });
}

/** Of an action that never ran: the library itself speaks for it. */
const NEVER_RAN = {
  observationSynthetic: true,
  toolCompletes: false,
  truncatedChars: 0,
  durationMs: 0,
} as const;

/** The result of an action that was not tried. */
export function skippedResult({ agent }: LiveRun, resolvedBy?: string): ActionResult {
  const { actionSkipped: observation } = agent.syntheticObservations;
  return { status: "not_executed", observation, ...NEVER_RAN, ...present({ resolvedBy }) };
}

/** The result of an action whose tool is hidden from the model. Absent: it is not, and the action may be tried. */
export function hiddenResult(
  { agent, toolNames }: LiveRun,
  { toolName }: PlannedAction,
): ActionResult | undefined {
  const { toolNotVisible } = agent.syntheticObservations;
  const observation = toolNotVisibleText(toolNotVisible, toolName, toolNames);
  return observation === undefined
    ? undefined
    : { status: "not_executed", observation, ...NEVER_RAN };
}

/** The result of an action that was denied. */
export function deniedResult(
  { agent }: LiveRun,
  denial: Denial,
  resolvedBy?: string,
): ActionResult {
  const observation = denial.reason ?? agent.syntheticObservations.rejected;
  return { status: "not_executed", observation, ...NEVER_RAN, ...present({ denial, resolvedBy }) };
}

/** The result of an action of which nobody knows what became. */
export function unknownResult({ agent }: LiveRun, resolvedBy?: string): ActionResult {
  const { actionOutcomeUnknown: observation } = agent.syntheticObservations;
  return { status: "unknown", observation, ...NEVER_RAN, ...present({ resolvedBy }) };
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
  const facts = { toolCompletes, durationMs };
  if (outcome.status === "executed" || outcome.observation !== "") return { ...outcome, ...facts };
  const observation = outcome.status === "not_executed" ? rejected : environmentFailed;
  return { ...outcome, ...facts, observation, observationSynthetic: true };
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
    observation: live.agent.syntheticObservations.environmentFailed,
    observationSynthetic: true,
    toolCompletes,
    truncatedChars: 0,
    durationMs,
    error: errorInfo(error),
  };
}
