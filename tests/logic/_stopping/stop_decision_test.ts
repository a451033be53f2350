import { assertEquals } from "@std/assert";
import { type RunTally, stopDecision, type StopFacts } from "../../../logic/_stopping/mod.ts";
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

/** The table of stop conditions, written down again: which classes make a limit true. */
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

/** A run that has come to nothing yet: no tier holds. */
const NOTHING: RunTally = {
  counters: { steps: 0, modelCalls: 0, withdrawnCalls: 0, totalTokens: 0, largestPromptChars: 0 },
  chargedCalls: 0,
  activeMs: 0,
  consecutiveFailures: 0,
  hasUnknownUsage: false,
  identicalActions: 0,
  rejectedSteps: 0,
};

/** What a tier says, where no other tier that is asked before it holds. */
function conditionsOf(
  tier: "C" | "A" | "B",
  budget: Budget,
  tally: Partial<RunTally>,
  facts: Partial<StopFacts> = {},
): readonly string[] {
  const stop = stopDecision({
    budget,
    onUnknownUsage: "ignore",
    tally: { ...NOTHING, ...tally },
    aborted: false,
    promptChars: 0,
    ...facts,
  });
  if (stop !== undefined) assertEquals(stop.tier, tier);
  return stop?.conditions ?? [];
}

Deno.test("stopDecision() gives every true condition of tier A in order, for every combination", () => {
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
            const counters = {
              steps: SPENT[steps],
              modelCalls: 0,
              withdrawnCalls: 0,
              totalTokens: SPENT[tokens],
              largestPromptChars: 0,
            };
            const tally = { counters, chargedCalls: SPENT[calls], activeMs: SPENT[time] };
            const reasons = conditionsOf("A", budgetWith({ time, tokens }), tally, { aborted });
            assertEquals(reasons, expected, [aborted, time, steps, calls, tokens].join());
            combinations++;
          }
        }
      }
    }
  }
  assertEquals(combinations, 2 * 5 * 4 * 4 * 5);
});

Deno.test("stopDecision() stops at once where a limit is 0", () => {
  const budget: Budget = {
    maxSteps: 0,
    maxModelCalls: 0,
    maxPromptChars: 0,
    maxConsecutiveFailures: 1,
    maxActiveMs: 0,
    maxTotalTokens: 0,
  };
  assertEquals(conditionsOf("A", budget, {}), [
    "time_budget_exhausted",
    "step_budget_exhausted",
    "model_call_budget_exhausted",
    "token_budget_exhausted",
  ]);
});

Deno.test("stopDecision() lets a prompt of exactly the limit pass", () => {
  for (const size of REQUIRED) {
    const reasons = conditionsOf("B", budgetWith({}), {}, { promptChars: SPENT[size] });
    assertEquals(reasons, size === "above" ? ["context_overflow"] : [], size);
  }
});

const ACTION = {
  actionId: "r/s0_a0",
  action: null,
  observation: "",
  observationSynthetic: false,
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

const EVERY_ACTION: readonly ActionRecord[] = [false, true].flatMap((toolCompletes) =>
  ACTION_STATUSES.flatMap((status): readonly ActionRecord[] =>
    status === "executed"
      ? [false, true].flatMap((failed) =>
        [false, true].map((completed) => ({ ...ACTION, status, failed, toolCompletes, completed }))
      )
      : [{ ...ACTION, status, toolCompletes }]
  )
);

/** The reason that a failed outcome counts towards, written down again. */
const COUNTS_TOWARDS: { readonly [K in StepOutcome]?: string } = {
  invalid_decision: "invalid_decisions",
  model_call_failed: "model_call_failed",
  model_outcome_unknown: "model_call_failed",
  environment_failed: "environment_failed",
};

function expectedAfter(step: StepRecord, failures: Spent, identical: Spent): readonly string[] {
  if (step.outcome === "cancelled") return [];
  const expected = [];
  const executed = step.actions.filter((action) => action.status === "executed");
  const marks = executed.map(({ failed, toolCompletes }) => `${failed} ${toolCompletes}`);
  if (marks.includes("false true")) expected.push("tool_completed");
  if (executed.find(({ completed }) => completed)) expected.push("environment_completed");
  if (step.outcome === "final_answer") expected.push("final_answer");
  if (TRUE_FOR.includes(identical)) expected.push("repeated_action");
  const reason = COUNTS_TOWARDS[step.outcome];
  if (reason !== undefined && TRUE_FOR.includes(failures)) expected.push(reason);
  return expected;
}

Deno.test("stopDecision() gives every true condition of tier C in order, for every combination", () => {
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
          const stop = stopDecision({
            budget: budgetWith({ identical }),
            onUnknownUsage: "ignore",
            tally: {
              ...NOTHING,
              last: step,
              identicalActions: SPENT[identical],
              consecutiveFailures: SPENT[failures],
            },
            aborted: false,
            promptChars: 0,
          });
          const reasons = stop?.tier === "C" ? stop.conditions : [];
          const expected = expectedAfter(step, failures, identical);
          if (reasons.join() !== expected.join()) {
            assertEquals([...reasons], expected, JSON.stringify([step, failures, identical]));
          }
          combinations++;
        }
      }
    }
  }
  assertEquals(combinations, 8 * (1 + 14 + 14 * 14) * 4 * 5);
});

Deno.test("stopDecision() ends a run at once for a call that cannot be mended by asking again", () => {
  const budget = budgetWith({});
  for (const retriable of [false, true, undefined]) {
    const error = { name: "E", message: "", ...(retriable !== undefined && { retriable }) };
    const last = { ...stepOf("model_call_failed", []), error };
    const expected = retriable === false ? ["model_call_failed"] : [];
    assertEquals(conditionsOf("C", budget, { last, consecutiveFailures: 1 }), expected);
  }
});

Deno.test("stopDecision() takes a reply without its tokens for an exhausted budget only where it is told to", () => {
  for (const hasUnknownUsage of [false, true]) {
    for (const onUnknownUsage of ["ignore", "stop"] as const) {
      const holds = hasUnknownUsage && onUnknownUsage === "stop";
      const reasons = conditionsOf("A", budgetWith({}), { hasUnknownUsage }, { onUnknownUsage });
      assertEquals(reasons, holds ? ["token_budget_exhausted"] : []);
    }
  }
});

Deno.test("stopDecision() ends a run for a cycle that came again, and for steps of refused actions", () => {
  const limits = { ...budgetWith({}), maxRepeatedCycle: 3, maxRejectedActions: 2 };
  for (const [times, rejectedSteps] of [[2, 1], [3, 1], [2, 2], [4, 3]] as const) {
    const last = stepOf("invalid_decision", []);
    const tally = { last, cycle: { times }, rejectedSteps, consecutiveFailures: LIMIT };
    const expected = ["invalid_decisions"];
    if (times >= 3) expected.unshift("repeated_action");
    if (rejectedSteps >= 2) expected.push("rejected_actions");
    assertEquals(conditionsOf("C", limits, tally), expected);
    assertEquals(conditionsOf("C", budgetWith({}), tally), ["invalid_decisions"]);
  }
});

type Tier = "C" | "A" | "B";

/** Facts, with the tier that they make hold. */
const FACTS: readonly (readonly (readonly [Partial<StopFacts & RunTally>, Tier?])[])[] = [
  [
    [{}],
    [{ last: stepOf("acted", []) }],
    [{ last: stepOf("final_answer", []) }, "C"],
    [{ last: stepOf("cancelled", []), consecutiveFailures: LIMIT, identicalActions: LIMIT }, "A"],
  ],
  [[{}], [{ aborted: true }, "A"], [{ activeMs: LIMIT }, "A"]],
  [[{}], [{ promptChars: LIMIT }], [{ promptChars: LIMIT + 1 }, "B"]],
];

Deno.test("stopDecision() asks C, then A, then B, and the first that holds decides", () => {
  const budget = budgetWith({ time: "at" });
  const [ofStep, ofRun, ofPrompt] = FACTS;
  for (const [step, first] of ofStep!) {
    for (const [run, second] of ofRun!) {
      for (const [prompt, third] of ofPrompt!) {
        const { aborted = false, promptChars = 0, ...tally } = { ...step, ...run, ...prompt };
        const stop = stopDecision({
          budget,
          onUnknownUsage: "ignore",
          tally: { ...NOTHING, ...tally },
          aborted,
          promptChars,
        });
        const holding = [first, second, third];
        const expected = (["C", "A", "B"] as const).find((tier) => holding.includes(tier));
        assertEquals(stop?.tier, expected, JSON.stringify([step, run, prompt]));
      }
    }
  }
});
