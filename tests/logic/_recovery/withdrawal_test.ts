import { assertEquals, assertThrows } from "@std/assert";
import { advance, type Position, startPosition } from "../../../logic/_recovery/mod.ts";
import { type LogRecord, RunLogCorruptError } from "../../../types/mod.ts";
import { AT, call, RUN_ID, withdrawal } from "./legal_calls.ts";
import { logOf } from "./legal_logs.ts";

const FIRST = call(0, 1).record;
const SECOND = call(0, 2).record;
const CUT = withdrawal(0, 1, "suspended").record;
const FAILED = withdrawal(0, 1, "failed").record;
const DECIDED: readonly LogRecord[] = [
  { type: "model_reply", stepIndex: 0, callId: `${RUN_ID}/s0`, attempt: 1, reply: { text: "t" } },
  {
    type: "decision",
    stepIndex: 0,
    decision: {
      kind: "action",
      actions: [{ action: 1, toolCall: { name: "do", arguments: {} } }],
    },
    historyText: "t",
  },
];
const ACTION = { stepIndex: 0, ordinal: 0, actionId: `${RUN_ID}/s0_a0` };
const INTENT: LogRecord = {
  type: "action_intent",
  ...ACTION,
  attempt: 1,
  replayPolicy: "replayable",
  at: AT,
};
const WITHDRAWN: LogRecord = { type: "action_withdrawn", ...ACTION, attempt: 1, at: AT };

function after(records: readonly object[]): Position {
  return [...logOf([], false).map(({ record }) => record), ...records as LogRecord[]]
    .reduce((position, record) => advance(position, record, 1), startPosition(RUN_ID));
}

/** Records that cannot follow those before them, and what the error says. */
const REFUSED: readonly (readonly [string, readonly object[]])[] = [
  ["withdrawn that is not open", [FIRST, CUT, CUT]],
  ["withdrawn that is not open", [FIRST, ...DECIDED, CUT]],
  ["the withdrawal is of attempt 2", [FIRST, { ...CUT, attempt: 2 }]],
  ['the withdrawal is of another call, "r/s1"', [FIRST, { ...CUT, callId: "r/s1" }]],
  ["failed without an error", [FIRST, { ...CUT, reason: "failed" }]],
  ["whose call was withdrawn", [FIRST, CUT, DECIDED[0]!]],
  ["has another prompt", [FIRST, CUT, { ...SECOND, promptChars: 1 }]],
  ["stands before its reply", [FIRST, CUT, DECIDED[1]!]],
  ['the step cannot be "model_outcome_unknown"', [FIRST, CUT, {
    type: "step",
    stepIndex: 0,
    outcome: "model_outcome_unknown",
    observation: "o",
    observationSynthetic: true,
    durationMs: 0,
  }]],
  ["finishes inside a step", [FIRST, SECOND, { ...CUT, attempt: 2 }, {
    type: "run_finished",
    stopReason: "cancelled",
    stopConditions: ["cancelled"],
    counters: after([FIRST, SECOND]).tally.counters,
    abandoned: [],
    at: AT,
  }]],
  ["has not just begun", [FIRST, ...DECIDED, WITHDRAWN]],
  ["has not just begun", [FIRST, ...DECIDED, INTENT, { ...WITHDRAWN, attempt: 2 }]],
  ["has not just begun", [
    FIRST,
    ...DECIDED,
    INTENT,
    { ...INTENT, attempt: 2 },
    { ...WITHDRAWN, attempt: 2 },
    WITHDRAWN,
  ]],
  ["is attempt 1", [FIRST, ...DECIDED, INTENT, WITHDRAWN, INTENT]],
];

for (const [message, records] of REFUSED) {
  Deno.test(`advance() refuses what cannot follow: ${message} (${records.length})`, () => {
    after(records.slice(0, -1));
    assertThrows(() => after(records), RunLogCorruptError, message);
  });
}

Deno.test("advance() counts withdrawn calls, takes their time for active, and charges none that failed", () => {
  for (const [withdrawn, charged] of [[CUT, 1], [FAILED, 0]] as const) {
    const { tally } = after([FIRST, withdrawn]);
    const { modelCalls, withdrawnCalls, steps } = tally.counters;
    assertEquals([modelCalls, withdrawnCalls, steps], [1, 1, 0]);
    assertEquals([tally.chargedCalls, tally.activeMs], [charged, 1]);
  }
});
