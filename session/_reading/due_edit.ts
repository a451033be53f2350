import {
  type ContextEdit,
  type EditGoal,
  judgeSummary,
  planEdits,
  type PlannedEdit,
  type PromptAssembly,
  summaryEdit,
  type WantedSummary,
} from "../../logic/_assembly/mod.ts";
import {
  type BetweenSteps,
  type InStep,
  isTooLong,
  type Tally,
} from "../../logic/_recovery/mod.ts";
import { estimatedTokens } from "../../logic/_stopping/mod.ts";
import type { Budget, ContextPolicy, ModelReply, SummaryFailure } from "../../types/mod.ts";

/** A run that stands before a model call. */
type BeforeCall = BetweenSteps | InStep;

/** A prompt that may be edited. */
type EditablePrompt = Pick<PromptAssembly, "measure" | "view">;

/**
 * What the run's policy asks for where it stands before a call: the next edit of its prompt, or a summary. Absent:
 * nothing, and the call may be made. An editing that has begun goes on to its target, also after a crash.
 */
export function dueEdit(position: BeforeCall, prompt: EditablePrompt): PlannedEdit | undefined {
  const { pass, tally, settings: { contextPolicy, budget } } = position;
  if (contextPolicy === undefined) return undefined;
  const isForced = position.kind === "in_step";
  if (
    pass === undefined &&
    (isForced ? !isTooLong(position) : !isLarge(tally, prompt, contextPolicy, budget))
  ) {
    return undefined;
  }
  const beforeChars = pass?.beforeChars ?? prompt.measure().promptChars;
  const hasFailed = pass?.hasFailedSummary ?? false;
  const goal = goalOf(beforeChars, isForced, tally, contextPolicy);
  const maySummarise = goal.maySummarise && !hasFailed;
  return planEdits(prompt.view(), contextPolicy, { ...goal, maySummarise });
}

/** What can be done about a prompt that was too long for the model. Absent: nothing. */
export function forcedEdit(
  { tally, settings }: InStep,
  prompt: EditablePrompt,
): PlannedEdit | undefined {
  const { contextPolicy } = settings;
  if (contextPolicy === undefined) return undefined;
  const goal = goalOf(prompt.measure().promptChars, true, tally, contextPolicy);
  return planEdits(prompt.view(), contextPolicy, goal);
}

/** Whether a prompt is larger than its policy lets it be. */
function isLarge(
  { inputTokens }: Tally,
  prompt: EditablePrompt,
  { triggerChars, triggerTokens }: ContextPolicy,
  { maxInputTokens = Infinity }: Partial<Budget>,
): boolean {
  const { promptChars } = prompt.measure();
  return promptChars > triggerChars ||
    (estimatedTokens(inputTokens, promptChars) ?? 0) > (triggerTokens ?? maxInputTokens);
}

/**
 * What an editing is to come to. One that tokens ask for may begin below the target: it then makes the prompt smaller in
 * the same proportion. After a summary failed, none is tried until the prompt has grown by what an editing takes away.
 */
function goalOf(
  beforeChars: number,
  isForced: boolean,
  { failedSummaryChars }: Tally,
  { triggerChars, targetChars }: ContextPolicy,
): EditGoal {
  const wanted = isForced ? beforeChars / 2 : beforeChars * targetChars / triggerChars;
  return {
    targetChars: Math.min(targetChars, Math.floor(wanted)),
    maySummarise: failedSummaryChars === undefined ||
      beforeChars >= failedSummaryChars + triggerChars - targetChars,
  };
}

/** What becomes of a summary with its reply: the edit that it gives, or why it is not taken. */
export function summaryOutcome(
  reply: ModelReply,
  wanted: WantedSummary,
  prompt: EditablePrompt,
): { readonly edit: ContextEdit } | { readonly reason: SummaryFailure } {
  const judged = judgeSummary(reply, wanted.stage);
  if ("reason" in judged) return judged;
  const edit = summaryEdit(wanted, judged.summary, prompt.measure().promptChars);
  return edit === undefined ? { reason: "not_smaller" } : { edit };
}
