import type { StepOutcome } from "./step_record.ts";

/**
 * Why a run ended. The conditions are asked in three tiers; within a tier the order is this one, and the first that
 * holds is the reason.
 *
 * Tier A, before a step:
 *
 * - `cancelled`: the signal was aborted.
 * - `time_budget_exhausted`: `maxActiveMs` is reached.
 * - `step_budget_exhausted`: `maxSteps` steps were taken.
 * - `model_call_budget_exhausted`: `maxModelCalls` calls were intended.
 * - `token_budget_exhausted`: `maxTotalTokens` is reached, or a reply did not tell its tokens and the request says `stop`
 *   for that.
 *
 * Tier B, before a model call:
 *
 * - `context_overflow`: the prompt is larger than `maxPromptChars`, or has by estimate more tokens than `maxInputTokens`.
 *
 * Tier C, after a step was recorded:
 *
 * - `tool_completed`: a tool that is marked `completes` was executed and did not fail.
 * - `environment_completed`: an outcome says that the goal is reached.
 * - `final_answer`: the decision was a final answer.
 * - `repeated_action`: `maxIdenticalActions` or `maxRepeatedCycle` is reached.
 * - `invalid_decisions`, `model_call_failed`, `environment_failed`: `maxConsecutiveFailures` steps in a row have
 *   failed; the last of them in this way. `model_call_failed` also at once where the call's error says that it is not
 *   `retriable`: asked again, with a longer prompt, it would fail again.
 * - `rejected_actions`: `maxRejectedActions` is reached. It stands after `invalid_decisions`.
 */
export type StopReason = (typeof STOP_REASONS)[number];

/**
 * Every {@link StopReason}, in the order of the tiers and within them. In time tier C comes first, then A, then B.
 */
export const STOP_REASONS = [
  "cancelled",
  "time_budget_exhausted",
  "step_budget_exhausted",
  "model_call_budget_exhausted",
  "token_budget_exhausted",
  "context_overflow",
  "tool_completed",
  "environment_completed",
  "final_answer",
  "repeated_action",
  "invalid_decisions",
  "rejected_actions",
  "model_call_failed",
  "environment_failed",
] as const;

/** The stop reasons of a run that did what it was for. */
export const COMPLETIONS: readonly StopReason[] = Object.freeze([
  "tool_completed",
  "environment_completed",
  "final_answer",
]);

/**
 * The outcomes of a step that count as a failure, each with the stop reason that it counts towards: the reason of a
 * run that too many failures in a row ended is that of its last step.
 */
export const FAILURE_REASONS: Readonly<{ [K in StepOutcome]?: StopReason }> = Object.freeze({
  invalid_decision: "invalid_decisions",
  model_call_failed: "model_call_failed",
  model_outcome_unknown: "model_call_failed",
  environment_failed: "environment_failed",
});
