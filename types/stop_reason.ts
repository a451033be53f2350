import type { StepOutcome } from "./step_record.ts";

/** Why a run ended (seed 0004; a public contract). The order of the members is that of the tiers and within them. */
export type StopReason = (typeof STOP_REASONS)[number];

/**
 * Every {@link StopReason}, in the order in which a tier's conditions are asked: tier A (before a step), B (before a
 * model call), C (after a step was recorded). C comes first in time, then A, then B.
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
  "model_call_failed",
  "environment_failed",
] as const;

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
