import {
  isSameJson,
  type LogRecord,
  readSettings,
  type RunFinishedRecord,
  RunLogCorruptError,
  type RunStartedRecord,
} from "../../types/mod.ts";
import { afterActionIntent, afterActionResult, afterActionWithdrawn } from "./advance_action.ts";
import { afterCallIntent, afterCallWithdrawn, afterReply } from "./advance_call.ts";
import { afterDecision, afterStepEnd } from "./advance_step.ts";
import { type BetweenSteps, type InStep, isOnlyWithdrawn, type Position } from "./position.ts";

/**
 * The position after one more record. This is the grammar of a log:
 *
 * ```text
 * log   = started step* ( finished | open )?
 * step  = call ( S | reply S | reply decision ( refused* batch )* refused* S )
 * call  = intent ( withdrawn intent | intent )*          the same prompt; the second only where it is replayable
 * batch = the intents of one action, or of several in one entry; then the result of each, in any order; before it
 *         each may have further intents, also after a withdrawal
 * ```
 *
 * `refused` is the result of an action without an intent: it was denied, its tool is hidden, or it was skipped.
 * `open` is the beginning of a step. `finished` may also follow one that holds nothing but withdrawn calls: that is no
 * step.
 *
 * @param seq The entry that the record stands in, for the error.
 * @throws {RunLogCorruptError} If the record cannot stand here.
 */
export function advance(position: Position, record: LogRecord, seq: number): Position {
  const after = positionAfter(position, record, seq);
  if (typeof after === "string") {
    throw new RunLogCorruptError(position.runId, seq, "grammar", after);
  }
  return after;
}

/** The position after a record, or why it cannot stand here: so it is with each kind of record. */
function positionAfter(position: Position, record: LogRecord, seq: number): Position | string {
  if (position.kind === "finished") {
    return `a "${record.type}" record follows the finished record`;
  }
  if (record.type === "run_started") return afterStarted(position, record);
  if (position.kind === "unstarted") {
    return `a "${record.type}" record stands before the started record`;
  }
  if (record.type === "run_finished") return afterFinished(position, record);
  const { steps } = position.tally.counters;
  if (record.stepIndex !== steps) {
    return `a "${record.type}" record of step ${record.stepIndex} stands where step ${steps} is`;
  }
  if (record.type === "model_call_intent") return afterCallIntent(position, record);
  if (position.kind === "between_steps") return `a "${record.type}" record stands outside a step`;
  switch (record.type) {
    case "model_call_withdrawn":
      return afterCallWithdrawn(position, record);
    case "model_reply":
      return afterReply(position, record);
    case "decision":
      return afterDecision(position, record);
    case "action_intent":
      return afterActionIntent(position, record, seq);
    case "action_withdrawn":
      return afterActionWithdrawn(position, record);
    case "action_result":
      return afterActionResult(position, record);
    case "step":
      return afterStepEnd(position, record);
  }
}

function afterStarted(position: Position, started: RunStartedRecord): Position | string {
  if (position.kind !== "unstarted") return "a second started record stands in it";
  const { runId, tally } = position;
  if (started.runId !== runId) return `it belongs to run "${started.runId}"`;
  const settings = readSettings(started.parameters);
  return { kind: "between_steps", runId, tally, started, settings };
}

function afterFinished(
  position: BetweenSteps | InStep,
  finished: RunFinishedRecord,
): Position | string {
  const open = position.kind === "in_step" ? position.open : undefined;
  if (open !== undefined && !isOnlyWithdrawn(open)) return "the run finishes inside a step";
  if (finished.stopReason !== finished.stopConditions[0]) {
    return "the stop reason is not its first condition";
  }
  const { runId, tally, started, settings } = position;
  if (!isSameJson({ ...finished.counters }, { ...tally.counters })) {
    return "its counters are not those of its records";
  }
  const end = { kind: "finished", runId, tally, started, settings, finished } as const;
  return open === undefined ? end : { ...end, open };
}
