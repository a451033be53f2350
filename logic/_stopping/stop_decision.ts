import {
  type ActionRecord,
  type Budget,
  FAILURE_REASONS,
  type RunCounters,
  type StepRecord,
  type StopReason,
} from "../../types/mod.ts";
import { estimatedTokens, type ReportedTokens } from "./input_tokens.ts";

/** What a run has come to: the fold of its records, as far as a stop decision goes. */
export interface RunTally {
  readonly counters: RunCounters;
  /** The model calls that count against their limit: all but those withdrawn as failed. */
  readonly chargedCalls: number;
  /** The durations of the recorded steps and of withdrawn calls, added up, in milliseconds. */
  readonly activeMs: number;
  readonly consecutiveFailures: number;
  /** Whether a reply did not tell how many tokens it took. */
  readonly hasUnknownUsage: boolean;
  /** What replies of steps reported of their prompts. Absent: none reported any. */
  readonly inputTokens?: ReportedTokens;
  /** How many steps in a row, the last one included, had equal actions. */
  readonly identicalActions: number;
  /** How many steps in a row, the last one included, had all their actions refused by the executor. */
  readonly rejectedSteps: number;
  /** How often in a row the last steps did the same by turns. Absent: no limit asks for it. */
  readonly cycle?: { readonly times: number };
  /** The last recorded step. */
  readonly last?: StepRecord;
}

/** What a stop decision looks at. */
export interface StopFacts {
  readonly budget: Budget;
  /** Whether a reply that does not tell its tokens exhausts their budget. */
  readonly onUnknownUsage: "ignore" | "stop";
  readonly tally: RunTally;
  /** Whether the run was aborted by now. */
  readonly aborted: boolean;
  /** The size of the prompt that was assembled. */
  readonly promptChars: number;
}

/** Why a run ends. */
export interface StopDecision {
  /** The tier that decided. */
  readonly tier: "C" | "A" | "B";
  /** Every condition of that tier that is true, in its order. */
  readonly conditions: readonly [StopReason, ...StopReason[]];
}

type Tier = readonly (readonly [StopReason, (facts: StopFacts) => boolean])[];

/** What the run has spent; and whether it was aborted, now or when its last step was recorded, before a crash. */
const BEFORE_STEP: Tier = [
  ["cancelled", ({ aborted, tally }) => aborted || tally.last?.outcome === "cancelled"],
  ["time_budget_exhausted", ({ budget, tally }) => reached(tally.activeMs, budget.maxActiveMs)],
  ["step_budget_exhausted", ({ budget, tally }) => reached(tally.counters.steps, budget.maxSteps)],
  [
    "model_call_budget_exhausted",
    ({ budget, tally }) => reached(tally.chargedCalls, budget.maxModelCalls),
  ],
  [
    "token_budget_exhausted",
    ({ budget, onUnknownUsage, tally }) =>
      reached(tally.counters.totalTokens, budget.maxTotalTokens) ||
      (onUnknownUsage === "stop" && tally.hasUnknownUsage),
  ],
];

const BEFORE_CALL: Tier = [
  [
    "context_overflow",
    ({ budget: { maxPromptChars, maxInputTokens = Infinity }, tally, promptChars }) =>
      promptChars > maxPromptChars ||
      (estimatedTokens(tally.inputTokens, promptChars) ?? 0) > maxInputTokens,
  ],
];

/** The last recorded step, and the rows that it belongs to. */
const AFTER_STEP: Tier = [
  [
    "tool_completed",
    ({ tally }) =>
      hasAction(tally, ({ failed, toolCompletes }) => failed === false && toolCompletes),
  ],
  ["environment_completed", ({ tally }) => hasAction(tally, ({ completed }) => completed === true)],
  ["final_answer", ({ tally }) => tally.last?.outcome === "final_answer"],
  [
    "repeated_action",
    ({ budget, tally }) =>
      reached(tally.identicalActions, budget.maxIdenticalActions) ||
      reached(tally.cycle?.times ?? 0, budget.maxRepeatedCycle),
  ],
  ["invalid_decisions", (facts) => failedTooOften(facts, "invalid_decisions")],
  [
    "rejected_actions",
    ({ budget, tally }) => reached(tally.rejectedSteps, budget.maxRejectedActions),
  ],
  [
    "model_call_failed",
    (facts) => failedTooOften(facts, "model_call_failed") || failedForGood(facts.tally),
  ],
  ["environment_failed", (facts) => failedTooOften(facts, "environment_failed")],
];

/** The tiers in the order in which they are asked. */
const TIERS: readonly (readonly [StopDecision["tier"], Tier])[] = [
  ["C", AFTER_STEP],
  ["A", BEFORE_STEP],
  ["B", BEFORE_CALL],
];

/**
 * Whether a run ends before it calls its model, and why: C, what its last step led to; A, what it has
 * spent, and whether it was aborted; B, whether the prompt fits. The first tier that holds decides. A cancelled step
 * has no tier C. A replayed call is asked for as any other: its step's first call passed C.
 */
export function stopDecision(facts: StopFacts): StopDecision | undefined {
  for (const [tier, conditions] of TIERS) {
    if (tier === "C" && facts.tally.last?.outcome === "cancelled") continue;
    const reasons = conditions.filter((condition) => condition[1](facts));
    const first = reasons[0];
    if (first === undefined) continue;
    return { tier, conditions: [first[0], ...reasons.slice(1).map(([reason]) => reason)] };
  }
  return undefined;
}

function hasAction({ last }: RunTally, isSuch: (action: ActionRecord) => boolean): boolean {
  return last?.actions.some(isSuch) ?? false;
}

function reached(spent: number, limit: number | undefined): boolean {
  return limit !== undefined && spent >= limit;
}

function failedTooOften({ budget, tally }: StopFacts, reason: StopReason): boolean {
  const { last, consecutiveFailures } = tally;
  return last !== undefined && FAILURE_REASONS[last.outcome] === reason &&
    consecutiveFailures >= budget.maxConsecutiveFailures;
}

/** Whether the last step's call failed in a way that asking again, with a longer prompt, cannot mend. */
function failedForGood({ last }: RunTally): boolean {
  return last?.outcome === "model_call_failed" && last.error?.retriable === false;
}
