import { assert, assertEquals, assertThrows } from "@std/assert";
import { advance, type Position, startPosition } from "../../../logic/_recovery/mod.ts";
import {
  type ActionResultRecord,
  type ActionStatus,
  digest,
  type LogRecord,
  RunLogCorruptError,
  type StepOutcome,
  type Usage,
} from "../../../types/mod.ts";
import { RUN_ID } from "./legal_calls.ts";
import { legalLogs } from "./legal_logs.ts";

const AT = "2026-01-01T00:00:00.000Z";

function startedBy(parameters: Readonly<Record<string, string>>): Position {
  const started: LogRecord = {
    type: "run_started",
    runId: RUN_ID,
    parameters,
    contextDigest: digest(""),
    runtime: { polyloop: "0.0.0" },
    at: AT,
  };
  return advance(startPosition(RUN_ID), started, 0);
}

/** What a step does, in short: its outcome without an action, or the word and the status of its one action. */
type Brief = StepOutcome | readonly [word: string, status: ActionStatus, toolName?: string];

type Which = Pick<ActionResultRecord, "stepIndex" | "ordinal" | "actionId">;

function resultOf(which: Which, status: ActionStatus): ActionResultRecord {
  return {
    type: "action_result",
    ...which,
    ...(status === "executed" ? { status, failed: false, completed: false } : { status }),
    observation: "o",
    observationSynthetic: false,
    toolCompletes: false,
    truncatedChars: 0,
    durationMs: 0,
  };
}

function stepRecords(stepIndex: number, brief: Brief, usage?: Usage): readonly LogRecord[] {
  const callId = `${RUN_ID}/s${stepIndex}`;
  const call: LogRecord = {
    type: "model_call_intent",
    stepIndex,
    callId,
    attempt: 1,
    promptDigest: digest(""),
    promptChars: 10 - stepIndex,
    promptMessages: 1,
    at: AT,
  };
  const answered: LogRecord = {
    type: "model_reply",
    stepIndex,
    callId,
    attempt: 1,
    reply: { text: "", ...(usage && { usage }) },
  };
  const end = { type: "step", stepIndex, durationMs: stepIndex + 0.5 } as const;
  if (typeof brief === "string") {
    const seen = { observation: "o", observationSynthetic: true };
    if (brief !== "invalid_decision") return [call, { ...end, outcome: brief, ...seen }];
    const decision = { kind: "invalid", explanation: "o" } as const;
    const decided: LogRecord = { type: "decision", stepIndex, decision, historyText: "" };
    return [call, answered, decided, { ...end, outcome: brief, ...seen }];
  }
  const [word, status, toolName] = brief;
  const action = { action: { do: word }, ...(toolName !== undefined && { toolName }) };
  const which = { stepIndex, ordinal: 0, actionId: `${callId}_a0` };
  const outcome = status === "environment_failed"
    ? status
    : status === "unknown"
    ? "action_outcome_unknown"
    : "acted";
  const decision = { kind: "action", actions: [action] } as const;
  const intent = {
    type: "action_intent",
    ...which,
    attempt: 1,
    replayPolicy: "never",
    at: AT,
  } as const;
  const decided: LogRecord = { type: "decision", stepIndex, decision, historyText: "" };
  return [call, answered, decided, intent, resultOf(which, status), { ...end, outcome }];
}

function positionAfter(briefs: readonly Brief[]): Position {
  return briefs.flatMap((brief, i) => stepRecords(i, brief)).reduce(
    (position, record) => advance(position, record, 0),
    startedBy({}),
  );
}

/** Rows of steps, with the consecutive failures and the equal actions in a row behind each step. */
const ROWS: readonly (readonly [readonly Brief[], string, string])[] = [
  [["model_call_failed", "invalid_decision", "model_outcome_unknown"], "123", "000"],
  [["invalid_decision", ["a", "executed"], "invalid_decision"], "101", "010"],
  [["invalid_decision", ["a", "not_executed"], "invalid_decision"], "112", "010"],
  [["invalid_decision", ["a", "unknown"], "model_call_failed"], "112", "010"],
  [[["a", "environment_failed"], ["a", "environment_failed"], ["a", "executed"]], "120", "123"],
  [[["a", "executed"], ["b", "executed"], ["b", "not_executed"]], "000", "112"],
  [[["a", "executed"], ["a", "executed", "tool"], ["a", "executed"]], "000", "111"],
  [[["a", "executed"], "model_call_failed", ["a", "executed"]], "010", "101"],
];

Deno.test("advance() counts failures in a row, and equal actions in a row, step by step", () => {
  for (const [briefs, failures, identical] of ROWS) {
    const positions = briefs.map((_, i) => positionAfter(briefs.slice(0, i + 1)));
    const what = JSON.stringify(briefs);
    assertEquals(positions.map((p) => p.tally.consecutiveFailures).join(""), failures, what);
    assertEquals(positions.map((p) => p.tally.identicalActions).join(""), identical, what);
  }
});

Deno.test("advance() adds up steps, calls, reported tokens and times, and keeps the largest prompt", () => {
  const usages: readonly (Usage | undefined)[] = [
    { inputTokens: 5, outputTokens: 2, cachedInputTokens: 100, reasoningTokens: 100 },
    undefined,
    { outputTokens: 1 },
    { inputTokens: 10 },
  ];
  const records = usages.flatMap((usage, i) => stepRecords(i, ["a", "executed"], usage));
  const { tally } = records.reduce((p, r) => advance(p, r, 0), startedBy({}));
  const spent = { steps: 4, modelCalls: 4, withdrawnCalls: 0, totalTokens: 18 };
  assertEquals(tally.counters, { ...spent, largestPromptChars: 10 });
  assertEquals(tally.activeMs, 0.5 + 1.5 + 2.5 + 3.5);
});

Deno.test("advance() folds a step's records into one frozen step record, every fact in its place", () => {
  for (const log of legalLogs()) {
    let position = startPosition(RUN_ID);
    for (
      const { record } of log.slice(
        0,
        log.findIndex(({ record }) => record.type === "step") + 1,
      )
    ) {
      position = advance(position, record, 0);
    }
    const step = position.tally.last;
    if (step === undefined) continue;
    const of = <T extends LogRecord["type"]>(type: T) =>
      log.map(({ record }) => record)
        .filter((record): record is Extract<LogRecord, { type: T }> => record.type === type)
        .filter((record) => "stepIndex" in record && record.stepIndex === 0);
    const [intent] = of("model_call_intent");
    const [end] = of("step");
    const [decided] = of("decision");
    assertEquals([step.stepIndex, step.outcome, step.durationMs], [
      0,
      end!.outcome,
      end!.durationMs,
    ]);
    assertEquals([step.modelCallId, step.startedAt], [intent!.callId, intent!.at]);
    assertEquals(
      [step.promptChars, step.promptMessages, step.promptDigest],
      [intent!.promptChars, intent!.promptMessages, intent!.promptDigest],
    );
    assertEquals(step.modelAttempts, of("model_call_intent").length);
    assertEquals(step.reply, of("model_reply")[0]?.reply);
    assertEquals([step.decision, step.historyText], [decided?.decision, decided?.historyText]);
    assertEquals(step.observation, end!.observation);
    assertEquals(step.observationSynthetic, end!.observationSynthetic);
    for (const [i, result] of of("action_result").entries()) {
      const { type: _, stepIndex: __, ordinal: ___, ...facts } = result;
      const intents = of("action_intent").filter(({ ordinal }) => ordinal === i);
      const resolvedBy = intents.at(-1)?.resolvedBy;
      assertEquals({ ...step.actions[i] }, {
        ...facts,
        action: { do: i },
        toolCall: { name: "do", arguments: { i } },
        attempts: intents.length,
        ...(resolvedBy !== undefined && { resolvedBy }),
      });
      assert(Object.isFrozen(step.actions[i]) && Object.isFrozen(step.actions[i]?.action));
    }
    assert(Object.isFrozen(step) && Object.isFrozen(step.actions));
  }
});

const [CALL, REPLY, DECISION, INTENT, RESULT, END] = stepRecords(0, ["a", "executed"]);
const DECISION_OF = (actions: readonly object[]) =>
  ({ ...DECISION, decision: { kind: "action", actions } }) as LogRecord;
const CALLED = { name: "n", arguments: {} };
const NATIVE = { "request.tool_protocol": "native" };

/** Records that have their shape, in places where they cannot stand, and what the error says. */
const REFUSED: readonly (readonly [string, Readonly<Record<string, string>>, readonly object[]])[] =
  [
    ["several actions", {}, [CALL!, REPLY!, DECISION_OF([{ action: 1 }, { action: 2 }])]],
    ["no tool call", NATIVE, [CALL!, REPLY!, DECISION!]],
    ["no tool call", NATIVE, [
      CALL!,
      REPLY!,
      DECISION_OF([{ action: 1, toolCall: CALLED }, { action: 2 }]),
    ]],
    ["a call is replayed that must not be", {}, [CALL!, { ...CALL, attempt: 2 }]],
    [
      "has another prompt",
      { "request.model_replay_policy": "replayable" },
      [CALL!, { ...CALL, attempt: 2, promptChars: 1 }],
    ],
    [
      "an action is replayed that must not be",
      {},
      [CALL!, REPLY!, DECISION!, INTENT!, { ...INTENT, attempt: 2 }],
    ],
    ['without an intent is "executed"', {}, [CALL!, REPLY!, DECISION!, RESULT!]],
    ["was not decided", {}, [CALL!, REPLY!, INTENT!]],
    ["though an action has no result", {}, [CALL!, REPLY!, DECISION!, END!]],
    ["a second reply", {}, [CALL!, REPLY!, REPLY!]],
    ["a second decision", {}, [CALL!, REPLY!, DECISION!, DECISION!]],
    ["before its reply", {}, [CALL!, DECISION!]],
    ["outside a step", {}, [END!]],
    ["follows the reply", {}, [CALL!, REPLY!, { ...CALL, attempt: 2 }]],
  ];

for (const [message, parameters, records] of REFUSED) {
  Deno.test(`advance() refuses a record that cannot stand: ${message} (${records.length})`, () => {
    const last = records.at(-1) as LogRecord;
    const position = (records.slice(0, -1) as LogRecord[])
      .reduce((before, record) => advance(before, record, 3), startedBy(parameters));
    const error = assertThrows(() => advance(position, last, 4), RunLogCorruptError, message);
    assertEquals([error.runId, error.seq], [RUN_ID, 4]);
  });
}

Deno.test("advance() lets an action that must not be replayed be tried again where somebody knows", () => {
  const again = { ...INTENT, attempt: 2, resolvedBy: "ops" } as LogRecord;
  const position = [CALL!, REPLY!, DECISION!, INTENT!, again, RESULT!, END!]
    .reduce((before, record) => advance(before, record, 0), startedBy({}));
  const [action] = position.tally.last!.actions;
  assertEquals([action?.attempts, action?.resolvedBy], [2, "ops"]);
});

Deno.test("advance() skips what follows an action that ended its step", () => {
  const two = DECISION_OF([{ action: 1, toolCall: CALLED }, { action: 2, toolCall: CALLED }]);
  const first = { stepIndex: 0, ordinal: 0, actionId: `${RUN_ID}/s0_a0` };
  const broken = resultOf(first, "environment_failed");
  const before = [CALL!, REPLY!, two, INTENT!, broken]
    .reduce((position, record) => advance(position, record, 0), startedBy(NATIVE));
  const second = { stepIndex: 0, ordinal: 1, actionId: `${RUN_ID}/s0_a1` };
  const tried = { ...INTENT, ...second } as LogRecord;
  assertThrows(() => advance(before, tried, 0), RunLogCorruptError, "though the step had ended");
  const skipped = resultOf(second, "not_executed");
  const end = { ...END, outcome: "environment_failed" } as LogRecord;
  const after = [skipped, end].reduce((p, record) => advance(p, record, 0), before);
  assertEquals(after.tally.last?.actions.map(({ attempts }) => attempts), [1, 0]);
});

/** A step of several actions, by word and status. */
function nativeStep(
  stepIndex: number,
  actions: readonly (readonly [string, ActionStatus])[],
): readonly LogRecord[] {
  const [call, answered] = stepRecords(stepIndex, ["a", "executed"]);
  const planned = actions.map(([word]) => ({ action: { do: word }, toolCall: CALLED }));
  const decision = { kind: "action", actions: planned } as const;
  const results = actions.map(([, status], ordinal) =>
    resultOf({ stepIndex, ordinal, actionId: `${RUN_ID}/s${stepIndex}_a${ordinal}` }, status)
  );
  const intents = results.map(({ ordinal, actionId }) =>
    ({ ...INTENT, stepIndex, ordinal, actionId }) as LogRecord
  );
  return [
    call!,
    answered!,
    { type: "decision", stepIndex, decision, historyText: "" },
    ...results.flatMap((result, i) => [intents[i]!, result]),
    { type: "step", stepIndex, outcome: "acted", durationMs: 0 },
  ];
}

Deno.test("advance() looks at every action of a step: one execution resets the failures, all must be equal", () => {
  const failed = stepRecords(0, "model_call_failed");
  const steps = [
    nativeStep(1, [["a", "not_executed"], ["b", "executed"]]),
    nativeStep(2, [["a", "executed"], ["b", "executed"]]),
    nativeStep(3, [["a", "executed"], ["c", "executed"]]),
    nativeStep(4, [["a", "executed"]]),
    nativeStep(5, [["a", "not_executed"], ["b", "not_executed"]]),
  ];
  let position = failed.reduce((p, record) => advance(p, record, 0), startedBy(NATIVE));
  const seen = steps.map((step) => {
    position = step.reduce((p, record) => advance(p, record, 0), position);
    return [position.tally.consecutiveFailures, position.tally.identicalActions];
  });
  assertEquals(seen, [[0, 1], [0, 2], [0, 1], [0, 1], [0, 1]]);
});
