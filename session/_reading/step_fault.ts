import { endsStep } from "../../logic/_recovery/mod.ts";
import {
  type ActionRecord,
  type InvalidDecision,
  type RunSettings,
  type StepRecord,
  toolNotVisibleText,
} from "../../types/mod.ts";
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
  const end = actions.findIndex(endsStep) + 1 || actions.length;
  for (const [ordinal, action] of actions.entries()) {
    // What was to run at once with the action that ended the step was looked at before.
    const reached = ordinal < end + settings.maxConcurrentActions - 1;
    const skippable = ordinal >= end || outcome === "cancelled";
    const fault = actionFault(action, settings, { reached, skippable });
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

/** How far a step came: to an action, so that it was settled by itself, or not, so that it was skipped. */
interface Reach {
  readonly reached: boolean;
  readonly skippable: boolean;
}

function actionFault(
  action: ActionRecord,
  settings: RunSettings,
  reach: Reach,
): string | undefined {
  const words: Words = settings.syntheticObservations;
  const { toolNotVisible = "" } = words;
  const hidden = toolNotVisibleText(toolNotVisible, action.toolName, settings.tools);
  if (action.status === "not_executed" && action.attempts === 0 && action.denial === undefined) {
    return untriedFault(action, { hidden, skipped: words.actionSkipped }, reach);
  }
  if (hidden !== undefined) return "was tried, or asked for, though its tool is not visible";
  switch (action.status) {
    case "executed":
      return undefined;
    case "environment_failed":
      return action.error !== undefined && action.observationSynthetic &&
          action.observation !== words.environmentFailed
        ? OTHER_WORDS
        : undefined;
    case "unknown":
      return ownWordsFault(action, words.actionOutcomeUnknown);
    case "not_executed": {
      const { denial } = action;
      if (denial === undefined) return undefined;
      return denial.by === settings.approveAction
        ? ownWordsFault(action, denial.reason ?? words.rejected)
        : `was denied by "${denial.by}" instead of "${settings.approveAction}"`;
    }
  }
}

/** What nobody was asked about: its tool is hidden, or its step ended before it was its turn. */
function untriedFault(
  action: ActionRecord,
  words: { readonly hidden: string | undefined; readonly skipped: string | undefined },
  { reached, skippable }: Reach,
): string | undefined {
  const told = [reached ? words.hidden : undefined, skippable ? words.skipped : undefined]
    .filter((text) => text !== undefined);
  if (told.length === 0) return "was skipped though its step had not ended";
  return told.some((text) => isOwnWords(action, text)) ? undefined : OTHER_WORDS;
}

const OTHER_WORDS = "shows the model other words than the library's own";

function ownWordsFault(action: ActionRecord, words: string | undefined): string | undefined {
  return isOwnWords(action, words) ? undefined : OTHER_WORDS;
}

/** The library's own words come with nothing that only an environment can say. */
function isOwnWords(
  { observation, observationSynthetic, truncatedChars }: ActionRecord,
  words: string | undefined,
): boolean {
  return observation === words && observationSynthetic && truncatedChars === 0;
}
