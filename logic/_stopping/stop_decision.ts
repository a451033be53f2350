import { type Budget, FAILURE_REASONS, type StepRecord, type StopReason } from "../../types/mod.ts";

/** What tier A looks at: what the run has spent. */
export interface BeforeStep {
  readonly budget: Budget;
  readonly aborted: boolean;
  readonly activeMs: number;
  readonly steps: number;
  readonly modelCalls: number;
  readonly totalTokens: number;
}

/** What tier B looks at: the prompt that was assembled. */
export interface BeforeModelCall {
  readonly budget: Budget;
  readonly promptChars: number;
}

/** What tier C looks at: the step that was recorded, and the rows that it belongs to. */
export interface AfterStep {
  readonly budget: Budget;
  readonly step: StepRecord;
  readonly identicalActions: number;
  readonly consecutiveFailures: number;
}

type Tier<Facts> = readonly (readonly [StopReason, (facts: Facts) => boolean])[];

const TIER_A: Tier<BeforeStep> = [
  ["cancelled", ({ aborted }) => aborted],
  ["time_budget_exhausted", ({ budget, activeMs }) => reached(activeMs, budget.maxActiveMs)],
  ["step_budget_exhausted", ({ budget, steps }) => reached(steps, budget.maxSteps)],
  [
    "model_call_budget_exhausted",
    ({ budget, modelCalls }) => reached(modelCalls, budget.maxModelCalls),
  ],
  [
    "token_budget_exhausted",
    ({ budget, totalTokens }) => reached(totalTokens, budget.maxTotalTokens),
  ],
];

const TIER_B: Tier<BeforeModelCall> = [
  ["context_overflow", ({ budget, promptChars }) => promptChars > budget.maxPromptChars],
];

const TIER_C: Tier<AfterStep> = [
  [
    "tool_completed",
    ({ step }) =>
      step.actions.some((action) =>
        action.status === "executed" && !action.failed && action.toolCompletes
      ),
  ],
  ["environment_completed", ({ step }) => step.actions.some((action) => action.completed)],
  ["final_answer", ({ step }) => step.outcome === "final_answer"],
  [
    "repeated_action",
    ({ budget, identicalActions }) => reached(identicalActions, budget.maxIdenticalActions),
  ],
  ["invalid_decisions", (facts) => failedTooOften(facts, "invalid_decisions")],
  ["model_call_failed", (facts) => failedTooOften(facts, "model_call_failed")],
  ["environment_failed", (facts) => failedTooOften(facts, "environment_failed")],
];

/** Tier A, before a step or a replayed call: every condition that is true, in order. */
export function beforeStep(facts: BeforeStep): readonly StopReason[] {
  return decide(TIER_A, facts);
}

/** Tier B, before a model call: every condition that is true, in order. */
export function beforeModelCall(facts: BeforeModelCall): readonly StopReason[] {
  return decide(TIER_B, facts);
}

/** Tier C, after a step was recorded: every condition that is true, in order. A cancelled step has no tier C. */
export function afterStep(facts: AfterStep): readonly StopReason[] {
  return facts.step.outcome === "cancelled" ? [] : decide(TIER_C, facts);
}

function decide<Facts>(tier: Tier<Facts>, facts: Facts): readonly StopReason[] {
  return tier.filter(([, holds]) => holds(facts)).map(([reason]) => reason);
}

function reached(spent: number, limit: number | undefined): boolean {
  return limit !== undefined && spent >= limit;
}

function failedTooOften(
  { budget, step, consecutiveFailures }: AfterStep,
  reason: StopReason,
): boolean {
  return FAILURE_REASONS[step.outcome] === reason &&
    consecutiveFailures >= budget.maxConsecutiveFailures;
}
