import { assertEquals } from "@std/assert";
import { afterStep, beforeModelCall, beforeStep } from "../../../logic/_stopping/mod.ts";
import {
  ACTION_STATUSES,
  type ActionRecord,
  type Budget,
  STEP_OUTCOMES,
  type StepOutcome,
  type StepRecord,
} from "../../../types/mod.ts";

const LIMIT = 5;

/** What is spent of a limit, by class; `unset`: there is no such limit. */
const SPENT = { none: 0, below: 4, at: 5, above: 6, unset: 6 } as const;
type Spent = keyof typeof SPENT;
const REQUIRED: readonly Spent[] = ["none", "below", "at", "above"];
const OPTIONAL: readonly Spent[] = [...REQUIRED, "unset"];

/** The table of the design, written down again: which classes make a limit true. */
const TRUE_FOR: readonly string[] = ["at", "above"];

function budgetWith(limits: { time?: Spent; tokens?: Spent; identical?: Spent }): Budget {
  return {
    maxSteps: LIMIT,
    maxModelCalls: LIMIT,
    maxPromptChars: LIMIT,
    maxConsecutiveFailures: LIMIT,
    ...(limits.time !== "unset" && { maxActiveMs: LIMIT }),
    ...(limits.tokens !== "unset" && { maxTotalTokens: LIMIT }),
    ...(limits.identical !== "unset" && { maxIdenticalActions: LIMIT }),
  };
}

Deno.test("beforeStep() gives every true condition of tier A in order, for every combination", () => {
  let combinations = 0;
  for (const aborted of [false, true]) {
    for (const time of OPTIONAL) {
      for (const steps of REQUIRED) {
        for (const calls of REQUIRED) {
          for (const tokens of OPTIONAL) {
            const expected = [];
            if (aborted) expected.push("cancelled");
            if (TRUE_FOR.includes(time)) expected.push("time_budget_exhausted");
            if (TRUE_FOR.includes(steps)) expected.push("step_budget_exhausted");
            if (TRUE_FOR.includes(calls)) expected.push("model_call_budget_exhausted");
            if (TRUE_FOR.includes(tokens)) expected.push("token_budget_exhausted");
            const reasons = beforeStep({
              budget: budgetWith({ time, tokens }),
              aborted,
              activeMs: SPENT[time],
              steps: SPENT[steps],
              modelCalls: SPENT[calls],
              totalTokens: SPENT[tokens],
            });
            assertEquals([...reasons], expected, [aborted, time, steps, calls, tokens].join());
            combinations++;
          }
        }
      }
    }
  }
  assertEquals(combinations, 2 * 5 * 4 * 4 * 5);
});

Deno.test("beforeStep() stops at once where a limit is 0", () => {
  const budget: Budget = {
    maxSteps: 0,
    maxModelCalls: 0,
    maxPromptChars: 0,
    maxConsecutiveFailures: 1,
    maxActiveMs: 0,
    maxTotalTokens: 0,
  };
  const reasons = beforeStep({
    budget,
    aborted: false,
    activeMs: 0,
    steps: 0,
    modelCalls: 0,
    totalTokens: 0,
  });
  assertEquals([...reasons], [
    "time_budget_exhausted",
    "step_budget_exhausted",
    "model_call_budget_exhausted",
    "token_budget_exhausted",
  ]);
});

Deno.test("beforeModelCall() lets a prompt of exactly the limit pass", () => {
  for (const size of REQUIRED) {
    const reasons = beforeModelCall({ budget: budgetWith({}), promptChars: SPENT[size] });
    assertEquals([...reasons], size === "above" ? ["context_overflow"] : [], size);
  }
});

const ACTION: ActionRecord = {
  actionId: "r/s0_a0",
  action: null,
  status: "executed",
  failed: false,
  observation: "",
  observationSynthetic: false,
  completed: false,
  toolCompletes: false,
  truncatedChars: 0,
  attempts: 1,
  durationMs: 0,
};

function stepOf(outcome: StepOutcome, actions: readonly ActionRecord[]): StepRecord {
  return {
    stepIndex: 0,
    outcome,
    modelCallId: "r/s0",
    modelAttempts: 1,
    actions,
    promptChars: 0,
    promptMessages: 0,
    promptDigest: "",
    startedAt: "",
    durationMs: 0,
  };
}

const EVERY_ACTION: readonly ActionRecord[] = ACTION_STATUSES.flatMap((status) =>
  [false, true].flatMap((failed) =>
    [false, true].flatMap((toolCompletes) =>
      [false, true].map((completed) => ({ ...ACTION, status, failed, toolCompletes, completed }))
    )
  )
);

/** The reason that a failed outcome counts towards, as the design says. */
const COUNTS_TOWARDS: { readonly [K in StepOutcome]?: string } = {
  invalid_decision: "invalid_decisions",
  model_call_failed: "model_call_failed",
  model_outcome_unknown: "model_call_failed",
  environment_failed: "environment_failed",
};

function expectedAfter(step: StepRecord, failures: Spent, identical: Spent): readonly string[] {
  if (step.outcome === "cancelled") return [];
  const expected = [];
  const marks = step.actions.map((a) => `${a.status} ${a.failed} ${a.toolCompletes}`);
  if (marks.includes("executed false true")) expected.push("tool_completed");
  if (step.actions.find((a) => a.completed)) expected.push("environment_completed");
  if (step.outcome === "final_answer") expected.push("final_answer");
  if (TRUE_FOR.includes(identical)) expected.push("repeated_action");
  const reason = COUNTS_TOWARDS[step.outcome];
  if (reason !== undefined && TRUE_FOR.includes(failures)) expected.push(reason);
  return expected;
}

Deno.test("afterStep() gives every true condition of tier C in order, for every combination", () => {
  const lists = [[], ...EVERY_ACTION.map((action) => [action])];
  for (const first of EVERY_ACTION) {
    for (const second of EVERY_ACTION) lists.push([first, second]);
  }
  let combinations = 0;
  for (const outcome of STEP_OUTCOMES) {
    for (const actions of lists) {
      const step = stepOf(outcome, actions);
      for (const failures of REQUIRED) {
        for (const identical of OPTIONAL) {
          const reasons = afterStep({
            budget: budgetWith({ identical }),
            step,
            identicalActions: SPENT[identical],
            consecutiveFailures: SPENT[failures],
          });
          const expected = expectedAfter(step, failures, identical);
          if (reasons.join() !== expected.join()) {
            assertEquals([...reasons], expected, JSON.stringify([step, failures, identical]));
          }
          combinations++;
        }
      }
    }
  }
  assertEquals(combinations, 8 * (1 + 32 + 32 * 32) * 4 * 5);
});
