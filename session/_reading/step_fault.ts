import { endsStep } from "../../logic/_recovery/mod.ts";
import type { ActionRecord, InvalidDecision, RunSettings, StepRecord } from "../../types/mod.ts";
import type { SyntheticObservations } from "../define_agent.ts";

/** The library's own words, as far as a log's parameters give them. */
type Words = Partial<SyntheticObservations>;

/**
 * Why a recorded step cannot be one that the kernel wrote, though each record of it may stand where it does: the
 * library's own words are those of the snapshot, an error is that of a failure, and what was denied or skipped never
 * ran.
 */
export function stepFault(step: StepRecord, settings: RunSettings): string | undefined {
  const { outcome, decision, observation, observationSynthetic, error, actions } = step;
  if ((error !== undefined) !== (outcome === "model_call_failed")) {
    return `a step that is "${outcome}" has an error, or lacks one`;
  }
  const words: Words = settings.syntheticObservations;
  if (decision?.kind === "invalid" && decision.synthetic && !isOwn(decision, settings)) {
    return "a decision of the library's own is not one that it makes";
  }
  const shown = shownOf(step, words);
  if (observation !== shown?.text || observationSynthetic !== shown?.synthetic) {
    return `a step that is "${outcome}" shows the model other words than its own`;
  }
  const end = outcome === "cancelled" ? 0 : actions.findIndex(endsStep) + 1 || actions.length;
  for (const [ordinal, action] of actions.entries()) {
    const fault = actionFault(action, words, settings.approveAction, ordinal >= end);
    if (fault !== undefined) return `action ${ordinal} ${fault}`;
  }
  return undefined;
}

/** What the model is shown of a step without an action, and whether the library wrote it. */
function shownOf(
  { outcome, decision, actions }: StepRecord,
  words: Words,
): { readonly text: string | undefined; readonly synthetic: boolean } | undefined {
  if (actions.length > 0) return undefined;
  if (outcome === "model_call_failed") return { text: words.modelCallFailed, synthetic: true };
  if (outcome === "model_outcome_unknown") {
    return { text: words.modelOutcomeUnknown, synthetic: true };
  }
  if (decision?.kind !== "invalid") return undefined;
  return { text: decision.explanation, synthetic: decision.synthetic === true };
}

/** The library itself refuses a reply for one reason only: several actions by the text protocol. */
function isOwn(
  { explanation }: InvalidDecision,
  { syntheticObservations, toolProtocol }: RunSettings,
): boolean {
  return toolProtocol === "text" && explanation === syntheticObservations.severalActions;
}

function actionFault(
  action: ActionRecord,
  words: Words,
  approver: string | undefined,
  skippable: boolean,
): string | undefined {
  switch (action.status) {
    case "executed":
      return undefined;
    case "environment_failed":
      return action.error && ownWordsFault(action, words.environmentFailed);
    case "unknown":
      return ownWordsFault(action, words.actionOutcomeUnknown);
    case "not_executed": {
      const { denial, attempts } = action;
      if (denial !== undefined) {
        return denial.by === approver
          ? ownWordsFault(action, denial.reason ?? words.rejected)
          : `was denied by "${denial.by}" instead of "${approver}"`;
      }
      if (attempts > 0) return undefined;
      if (!skippable) return "was skipped though its step had not ended";
      return ownWordsFault(action, words.actionSkipped);
    }
  }
}

/** The library's own words come with nothing that only an environment can say. */
function ownWordsFault(
  { observation, observationSynthetic, truncatedChars }: ActionRecord,
  words: string | undefined,
): string | undefined {
  const own = observation === words && observationSynthetic && truncatedChars === 0;
  return own ? undefined : "shows the model other words than the library's own";
}
