import {
  type ContextEditFailedRecord,
  type ContextEditRecord,
  type ModelCallIntentRecord,
  type ModelCallWithdrawnRecord,
  type ModelReplyRecord,
  summaryCallId,
} from "../../types/mod.ts";
import {
  againFault,
  calledAfter,
  intended,
  repliedAfter,
  tallyReplied,
  tallyWithdrawn,
  withdrawnAfter,
} from "./advance_call.ts";
import {
  type BetweenSteps,
  type EditPass,
  type InStep,
  isTooLong,
  type Position,
} from "./position.ts";

/** A run that may stand before a step's call. */
type Editable = BetweenSteps | InStep;

/** The position after an edit of the prompt, or why it cannot stand there. */
export function afterEdit(position: Editable, record: ContextEditRecord): Position | string {
  const { tally } = position;
  const { stage, edit, steps, stepIndex, beforeChars, afterChars } = record;
  const pass = passOf(position);
  if (typeof pass === "string") return pass;
  if (edit !== tally.edits) return `an edit is number ${edit} and not ${tally.edits}`;
  if (steps[1] >= stepIndex) return "an edit changes steps that are not recorded";
  if (afterChars >= beforeChars) return "an edit does not make the prompt smaller";
  const { summary, ...others } = pass;
  if (summary === undefined && stage === "summarise") {
    return "a summary stands in the prompt that no reply gave";
  }
  if (summary !== undefined && (stage !== "summarise" || summary.phase !== "replied")) {
    return "an edit stands where steps are being summed up";
  }
  const after = { ...others, beforeChars: pass.beforeChars ?? beforeChars };
  return withPass({ ...position, tally: { ...tally, edits: edit + 1 } }, after);
}

/** The position after the failure of a summary, or why it cannot stand there. */
export function afterEditFailed(
  position: Editable,
  { callId }: ContextEditFailedRecord,
): Position | string {
  const pass = passOf(position);
  if (typeof pass === "string") return pass;
  if (pass.hasFailedSummary) return "a summary fails where one has failed";
  if (pass.summary?.intent.callId !== callId) return "the summary that fails is not the open one";
  const { summary: _, ...others } = pass;
  const tally = { ...position.tally, failedSummaryChars: 0 };
  return withPass({ ...position, tally }, { ...others, hasFailedSummary: true });
}

/** The position after the intent of a summary's call, or why it cannot stand there. */
export function afterSummaryIntent(
  position: Editable,
  intent: ModelCallIntentRecord,
): Position | string {
  const { runId, tally, settings } = position;
  const pass = passOf(position);
  if (typeof pass === "string") return pass;
  const { summary: open } = pass;
  const number = open === undefined ? tally.summaries : tally.summaries - 1;
  const summary = calledAfter(open, intent, summaryCallId(runId, intent.stepIndex, number));
  if (typeof summary === "string") return summary;
  const fault = open && againFault(open, intent, settings);
  if (fault !== undefined) return fault;
  if (pass.hasFailedSummary) return "steps are summed up where that has failed";
  const after = { ...intended(tally, intent), summaries: number + 1 };
  return withPass({ ...position, tally: after }, { ...pass, summary });
}

/** The position after the withdrawal of a summary's call, or why it cannot stand there. */
export function afterSummaryWithdrawn(
  position: Editable,
  record: ModelCallWithdrawnRecord,
): Position | string {
  const { pass, tally } = position;
  if (pass?.summary === undefined) return NO_SUMMARY;
  const summary = withdrawnAfter(pass.summary, record);
  if (typeof summary === "string") return summary;
  return withPass({ ...position, tally: tallyWithdrawn(tally, record) }, { ...pass, summary });
}

/** The position after a summary, or why it cannot stand there. */
export function afterSummaryReply(
  position: Editable,
  record: ModelReplyRecord,
): Position | string {
  const { pass, tally } = position;
  if (pass?.summary === undefined) return NO_SUMMARY;
  const summary = repliedAfter(pass.summary, record);
  if (typeof summary === "string") return summary;
  return withPass({ ...position, tally: tallyReplied(tally, record) }, { ...pass, summary });
}

const NO_SUMMARY = "no steps are being summed up";

/** The editing that goes on, or one that begins here; or why none can. */
function passOf(position: Editable): EditPass | string {
  if (position.pass !== undefined) return position.pass;
  if (position.settings.contextPolicy === undefined) return "the run has no policy to edit prompts";
  return position.kind === "between_steps" || isTooLong(position)
    ? { hasFailedSummary: false }
    : "a prompt is edited whose call was made";
}

function withPass(position: Editable, pass: EditPass): Position {
  return { ...position, pass };
}
