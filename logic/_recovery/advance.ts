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
import {
  afterEdit,
  afterEditFailed,
  afterSummaryIntent,
  afterSummaryReply,
  afterSummaryWithdrawn,
} from "./advance_edit.ts";
import { afterDecision, afterStepEnd } from "./advance_step.ts";
import { type BetweenSteps, type InStep, isOnlyWithdrawn, type Position } from "./position.ts";

/**
 * The position after one more record. This is the grammar of a log:
 *
 * ```text
 * log   = started step* ( pass? finished | pass | open )?
 * step  = pass? call ( S | reply S | reply decision ( refused* batch )* refused* S )
 * call  = intent ( withdrawn intent | intent | withdrawn pass intent )*
 *         the same prompt, and without a withdrawal only where it is replayable; another one, with at least one edit,
 *         once, where the first was too long for the model
 * pass  = ( edit | failed | summary ( withdrawn summary | summary )* ( reply ( edit | failed ) | withdrawn? failed ) )+
 * batch = the intents of one action, or of several in one entry; then the result of each, in any order; before it
 *         each may have further intents, also after a withdrawal
 * ```
 *
 * `summary` is the intent of a call that sums up steps, `failed` says that they are not.
 * `refused` is the result of an action without an intent: it was denied, its tool is hidden, or it was skipped.
 * `open` is the beginning of a step. `finished` may also follow one that holds nothing but withdrawn calls: that is no
 * step. It may follow a pass unless a summary's call is open or its reply waits.
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
  switch (record.type) {
    case "context_edit":
      return afterEdit(position, record);
    case "context_edit_failed":
      return afterEditFailed(position, record);
    case "model_call_intent":
      return record.purpose === undefined
        ? afterCallIntent(position, record)
        : afterSummaryIntent(position, record);
    case "model_call_withdrawn":
      if (record.purpose !== undefined) return afterSummaryWithdrawn(position, record);
      break;
    case "model_reply":
      if (record.purpose !== undefined) return afterSummaryReply(position, record);
  }
  if (position.kind === "between_steps") return `a "${record.type}" record stands outside a step`;
  if (position.pass !== undefined && record.type !== "step") {
    return `a "${record.type}" record stands in the editing of a prompt`;
  }
  return afterInStep(position, record, seq);
}

/** The position after a record that stands inside a step, or why it cannot stand there. */
function afterInStep(
  position: InStep,
  record: Exclude<LogRecord, { readonly type: OutsideStep }>,
  seq: number,
): Position | string {
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

/** The kinds of records that may stand where no step is open. */
type OutsideStep =
  | "run_started"
  | "run_finished"
  | "model_call_intent"
  | "context_edit"
  | "context_edit_failed";

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
  const summary = position.pass?.summary;
  if (summary !== undefined && !isOnlyWithdrawn(summary)) {
    return "the run finishes while steps are being summed up";
  }
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
