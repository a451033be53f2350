import {
  type ContextEdit,
  emptyMeasure,
  measureWith,
  type PromptAssembly,
  type PromptMeasure,
  type WantedSummary,
} from "../../logic/_assembly/mod.ts";
import type { BetweenSteps, InStep, OpenCall, Position } from "../../logic/_recovery/mod.ts";
import {
  type Budget,
  type ContextEditFailedRecord,
  type ContextEditRecord,
  copyJson,
  isSameJson,
  type ModelCallIntentRecord,
  type RunFinishedRecord,
  type StepRecord,
  type SummaryFailure,
} from "../../types/mod.ts";
import { dueEdit, forcedEdit, summaryOutcome } from "./due_edit.ts";
import { summaryRefusal } from "./summary_refusal.ts";

type BeforeCall = BetweenSteps | InStep;

/** Why an edit is not the one that the policy asks for. */
export function editFault(
  { type: _, stepIndex: __, edit: ___, ...recorded }: ContextEditRecord,
  position: BeforeCall,
  prompt: PromptAssembly,
): string | undefined {
  const planned = dueEdit(position, prompt);
  if (planned?.kind === "edit") return isSame(planned.edit, recorded) ? undefined : OTHER_EDIT;
  const outcome = planned && outcomeOf(planned.wanted, position, prompt);
  return outcome !== undefined && "edit" in outcome && isSame(outcome.edit, recorded)
    ? undefined
    : OTHER_EDIT;
}

function isSame(planned: ContextEdit, recorded: ContextEdit): boolean {
  return isSameJson(copyJson(planned), copyJson(recorded));
}

const OTHER_EDIT = "the policy asks for another edit, or for none";

function outcomeOf(
  wanted: WantedSummary,
  { pass }: BeforeCall,
  prompt: PromptAssembly,
): ReturnType<typeof summaryOutcome> | undefined {
  const summary = pass?.summary;
  return summary?.phase === "replied" ? summaryOutcome(summary.reply, wanted, prompt) : undefined;
}

/** Why a summary cannot have failed so. */
export function editFailureFault(
  { reason, error }: ContextEditFailedRecord,
  position: BeforeCall,
  prompt: PromptAssembly,
  budget: Budget,
): string | undefined {
  const planned = dueEdit(position, prompt);
  if (planned?.kind !== "summary") return "a summary fails that the policy does not ask for";
  if ((error !== undefined) !== (reason === "call_failed")) {
    return `a summary that is "${reason}" has an error, or lacks one`;
  }
  const summary = position.pass?.summary;
  const measure = measureWith(emptyMeasure(0), planned.wanted.messages);
  const refusal = summaryRefusal(budget, position.tally, measure);
  const outcome = outcomeOf(planned.wanted, position, prompt);
  const judged = outcome !== undefined && "reason" in outcome ? outcome.reason : undefined;
  return possibleFailures(summary, refusal, judged).includes(reason)
    ? undefined
    : `a summary cannot have failed as "${reason}"`;
}

function possibleFailures(
  summary: OpenCall | undefined,
  refusal: SummaryFailure | undefined,
  judged: SummaryFailure | undefined,
): readonly (SummaryFailure | undefined)[] {
  switch (summary?.phase) {
    case undefined:
      return [refusal];
    case "called":
      return ["call_failed", "unknown", "cancelled"];
    case "withdrawn":
      return ["cancelled", summary.hasLostAttempt ? "unknown" : refusal];
    case "replied":
      return [judged];
  }
}

/** Why a call must not be made with the prompt as it is: the policy asks for an edit, or for another summary. */
export function callFault(
  intent: ModelCallIntentRecord,
  position: BeforeCall,
  prompt: PromptAssembly,
): string | undefined {
  const planned = dueEdit(position, prompt);
  if (intent.purpose === undefined) {
    return planned === undefined
      ? undefined
      : "a model is called though its prompt is to be edited";
  }
  if (position.pass?.summary !== undefined) return undefined; // again, with the same prompt
  if (planned?.kind !== "summary") return "steps are summed up that the policy does not ask for";
  return isOf(intent, measureWith(emptyMeasure(0), planned.wanted.messages))
    ? undefined
    : "the steps before it do not give the summary's prompt that it names";
}

/** Why a run must not end for its prompt: the policy asks for an edit. */
export function overflowFault(
  { stopReason }: RunFinishedRecord,
  position: BeforeCall,
  prompt: PromptAssembly,
): string | undefined {
  return stopReason === "context_overflow" && dueEdit(position, prompt) !== undefined
    ? "the run ends though its prompt is to be edited"
    : undefined;
}

/** Why a step's call cannot have failed: its prompt was too long for the model, and the policy can shorten it. */
export function failureFault(
  { outcome, error }: Pick<StepRecord, "outcome" | "error">,
  position: BeforeCall,
  prompt: PromptAssembly,
): string | undefined {
  if (outcome !== "model_call_failed" || position.kind !== "in_step") return undefined;
  const { phase, isShortened } = position.open;
  const isFresh = phase === "called" && error?.kind === "context_length" && !isShortened;
  const planned = isFresh ? forcedEdit(position, prompt) : dueEdit(position, prompt);
  return planned && "a call fails whose prompt was too long, though it is to be edited";
}

function isOf(intent: ModelCallIntentRecord, measure: PromptMeasure): boolean {
  return intent.promptDigest === measure.promptDigest &&
    intent.promptChars === measure.promptChars && intent.promptMessages === measure.promptMessages;
}

/** Whether a run stands before a call, so that its prompt may be edited. */
export function isBeforeCall(position: Position): position is BeforeCall {
  return position.kind === "between_steps" || position.kind === "in_step";
}
