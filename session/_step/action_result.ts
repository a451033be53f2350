import type { UnsettledAction } from "../../logic/_recovery/mod.ts";
import {
  type ActionOutcome,
  type ActionResult,
  type Denial,
  type ErrorInfo,
  errorInfo,
  type PlannedAction,
  present,
  STACK_CHARS,
  takeCodePoints,
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
  const { stepIndex, ordinal, actionId, planned: { toolName } } = action;
  const which = { stepIndex, ordinal, actionId };
  live.journal.record({ type: "action_result", ...which, ...result });
  if (!live.events.listening) return;
  const { durationMs } = result;
  const fate = result.status === "executed"
    ? { status: result.status, failed: result.failed }
    : { status: result.status };
  const finished = { type: "action_finished", ...which, toolName, ...fate, durationMs } as const;
  live.events.emit(present(finished));
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
    return brokenEnvironment(live, errorInfo(error), toolCompletes, durationMs);
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
  const recorded = withStackAsAsked(live, outcome);
  if (outcome.status === "executed" || outcome.observation !== "") return { ...recorded, ...facts };
  const observation = outcome.status === "not_executed" ? rejected : environmentFailed;
  return { ...recorded, ...facts, observation, observationSynthetic: true };
}

/** An outcome as it is recorded: its error's stack is cut, or left out. */
function withStackAsAsked({ options }: LiveRun, outcome: ActionOutcome): ActionOutcome {
  if (outcome.status === "not_executed" || outcome.failed === false) return outcome;
  if (outcome.error?.stack === undefined) return outcome;
  const { stack, ...error } = outcome.error;
  return options.recordStacks === false
    ? { ...outcome, error }
    : { ...outcome, error: { ...error, stack: takeCodePoints(stack, STACK_CHARS) } };
}

/** The result of an action whose executor threw, or gave what is no outcome. */
export function brokenEnvironment(
  live: LiveRun,
  error: ErrorInfo,
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
    error,
  };
}
