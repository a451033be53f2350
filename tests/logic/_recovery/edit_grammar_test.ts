import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  advance,
  planRecovery,
  type Position,
  type RecoveryPolicies,
  startPosition,
} from "../../../logic/_recovery/mod.ts";
import {
  digest,
  type LogRecord,
  RunLogCorruptError,
  type SummaryFailure,
} from "../../../types/mod.ts";
import { IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { AT, RUN_ID } from "./legal_calls.ts";

/** A policy as the parameters say it. */
const POLICY: Readonly<Record<string, string>> = {
  "request.context_policy.trigger_chars": "90",
  "request.context_policy.target_chars": "40",
  "request.context_policy.keep_last_steps": "1",
  "request.context_policy.stage.0.kind": "drop_steps",
  "request.context_policy.stage.0.notice": "gone",
};

const STARTED: LogRecord = {
  type: "run_started",
  runId: RUN_ID,
  parameters: { ...POLICY, "request.model_replay_policy": "replayable" },
  contextDigest: digest(""),
  runtime: { polyloop: "0.0.0" },
  at: AT,
};

/**
 * What stands in a log, a letter for each record: E an edit, F a summary that fails unpaid, c a summary's call, w its
 * withdrawal, r its reply, e the edit that it gives, f its failure; C a step's call, W its withdrawal, X the one for a
 * prompt that was too long, R its reply, D its decision, S its end.
 */
const TOKENS = "EFcwrefCWXRDS";

/** A pass that sums nothing up any more, and one that may. */
const FAILED_PASS = "E*";
const SUMMARY = "c(?:w?c)*re";
const FAILURE = `(?:F|c(?:w?c)*(?:rf|w?f))`;
const PASS = `(?:(?:E|${SUMMARY})*(?:${FAILURE}${FAILED_PASS})?)`;
/** The same with an edit at least. */
const EDITING = `(?=[^C]*[Ee])${PASS}`;
const GIVEN_UP = `X${FAILURE}?`;
const STEP = `${PASS}C(?:W?C)*(?:(?:X${EDITING}C(?:[WX]?C)*)?(?:S|RDS)|${GIVEN_UP}S)`;
const WHOLE = new RegExp(`^(?:${STEP})*$`);

/** What brings any legal beginning to the end of a step. */
const COMPLETIONS = ["", "S", "DS", "RDS", "CS", "ECS", "eCS", "fCS", "fECS", "fS"];

function isLegal(tokens: string): boolean {
  return COMPLETIONS.some((rest) => WHOLE.test(tokens + rest));
}

/** The record of a letter, numbered as those before it ask for. */
function recordOf(token: string, before: string): LogRecord {
  const stepIndex = before.split("S").length - 1;
  const step = before.slice(before.lastIndexOf("S") + 1);
  const callId = `${RUN_ID}/s${stepIndex}`;
  const begun = step.match(/(?<![cw])c/g)?.length ?? 0;
  const number = /[cwr]$/.test(step) ? begun - 1 : begun;
  const summary = { stepIndex, callId: `${callId}_c${number}`, purpose: "summary" } as const;
  const tries = /c[cw]*r?$/.exec(step)?.[0].match(/c/g)?.length ?? 0;
  const calls = step.match(/C/g)?.length ?? 0;
  switch (token) {
    case "E":
    case "e":
      return {
        type: "context_edit",
        stepIndex,
        edit: before.match(/[Ee]/g)?.length ?? 0,
        stage: token === "E" ? "drop_steps" : "summarise",
        steps: [0, 0],
        beforeChars: 100,
        afterChars: 50,
        replacements: [{ step: 0, text: "gone" }],
      };
    case "F":
      return failureOf(stepIndex, "too_few_calls");
    case "f":
      return failureOf(stepIndex, "unknown", summary.callId);
    case "c":
      return intentOf({ ...summary, attempt: tries + 1 });
    case "w":
      return withdrawalOf({ ...summary, attempt: tries });
    case "r":
      return { type: "model_reply", ...summary, attempt: tries, reply: { text: "t" } };
    case "C":
      return intentOf({ stepIndex, callId, attempt: calls + 1 });
    case "W":
      return withdrawalOf({ stepIndex, callId, attempt: calls });
    case "X":
      return withdrawalOf({ stepIndex, callId, attempt: calls }, true);
    case "R":
      return { type: "model_reply", stepIndex, callId, attempt: calls, reply: { text: "t" } };
    case "D": {
      const decision = { kind: "invalid", explanation: "o" } as const;
      return { type: "decision", stepIndex, decision, historyText: "t" };
    }
    default: {
      const outcome = step.endsWith("D") ? "invalid_decision" : "model_call_failed";
      const seen = { observation: "o", observationSynthetic: false };
      const end = { type: "step", stepIndex, outcome, durationMs: 1, ...seen } as const;
      return /X[^CD]*$/.test(step) ? { ...end, error: TOO_LONG } : end;
    }
  }
}

type Call = {
  readonly stepIndex: number;
  readonly callId: string;
  readonly attempt: number;
  readonly purpose?: "summary";
};

function intentOf(call: Call): LogRecord {
  const measure = { promptDigest: digest("p"), promptChars: 10, promptMessages: 1 };
  return { type: "model_call_intent", ...call, ...measure, at: AT };
}

const TOO_LONG = { name: "E", message: "m", kind: "context_length" } as const;

function withdrawalOf(call: Call, isTooLong = false): LogRecord {
  const withdrawn = { type: "model_call_withdrawn", ...call, durationMs: 1, at: AT } as const;
  if (!isTooLong) return { ...withdrawn, reason: "suspended" };
  return { ...withdrawn, reason: "failed", error: TOO_LONG };
}

function failureOf(stepIndex: number, reason: SummaryFailure, callId?: string): LogRecord {
  const failed = { type: "context_edit_failed", stepIndex, stage: "summarise", reason } as const;
  return callId === undefined ? failed : { ...failed, callId };
}

/** The position after one more letter. Absent: it cannot stand there. */
function after(position: Position, token: string, before: string): Position | undefined {
  try {
    return advance(position, recordOf(token, before), 0);
  } catch (error) {
    assert(error instanceof RunLogCorruptError);
    return undefined;
  }
}

/** A step of which there is something to edit. */
const FIRST_STEP = "CS";
const LONGEST = IS_WHOLE ? 10 : 9;

Deno.test("advance() takes exactly the logs with edits that the grammar allows, letter by letter", () => {
  let legal = 0;
  const explore = (position: Position, before: string): void => {
    legal += 1;
    for (const token of TOKENS) {
      const next = after(position, token, before);
      assertEquals(next !== undefined, isLegal(before + token), before + token);
      if (next !== undefined && before.length < LONGEST - 1) explore(next, before + token);
    }
  };
  explore(positionAfter(FIRST_STEP), FIRST_STEP);
  assert(legal > 2_000, `only ${legal}`);
});

/** What a log that ends so waits for, where a call may be replayed. */
const PLANS: readonly (readonly [string, string])[] = [
  ["E", "edit"],
  ["F", "edit"],
  ["c", "replay_call"],
  ["cw", "ask_again"],
  ["cr", "edit"],
  ["cre", "edit"],
  ["crf", "edit"],
  ["EC", "replay_call"],
  ["ECW", "ask_again"],
  ["CX", "edit"],
  ["CXE", "edit"],
  ["CXc", "replay_call"],
  ["CXEC", "replay_call"],
  ["CXECX", "ask_again"],
  ["CXECS", "next_step"],
];

function positionAfter(tokens: string, started: LogRecord = STARTED): Position {
  let position = advance(startPosition(RUN_ID), started, 0);
  for (let i = 0; i < tokens.length; i++) {
    position = advance(position, recordOf(tokens.charAt(i), tokens.slice(0, i)), 0);
  }
  return position;
}

Deno.test("planRecovery() goes on with an editing where its records end", () => {
  for (const [tokens, plan] of PLANS) {
    const position = positionAfter(FIRST_STEP + tokens);
    const policies: RecoveryPolicies = {
      modelCall: "replayable",
      openAction: () => "never",
      concurrent: () => false,
      canResolve: false,
    };
    const next = planRecovery(position, policies);
    assertEquals(next.kind, plan, tokens);
    const never = planRecovery(position, { ...policies, modelCall: "never" });
    assertEquals(never.kind, plan === "replay_call" ? "record_unknown_call" : plan, tokens);
    if ("step" in next) {
      assertEquals(next.step.intent.purpose, /c[cw]*$/.test(tokens) ? "summary" : undefined);
    }
  }
});

/** Records that have their shape and whose facts do not fit, and what the error says. */
const REFUSED: readonly (readonly [string, string, object])[] = [
  ["an edit is number 1 and not 0", "", { token: "E", edit: 1 }],
  ["steps that are not recorded", "", { token: "E", steps: [0, 1] }],
  ["does not make the prompt smaller", "", { token: "E", afterChars: 100 }],
  ['has the id "r/s1"', "", { token: "c", callId: "r/s1" }],
  ['has the id "r/s1_c1"', "", { token: "c", callId: "r/s1_c1" }],
  ["a call is attempt 2", "", { token: "c", attempt: 2 }],
  ["has another prompt", "c", { token: "c", promptChars: 9 }],
  ["another call", "c", { token: "r", callId: "r/s1" }],
  ["not the open one", "c", { token: "f", callId: "r/s1_c1" }],
  ['the step cannot be "model_outcome_unknown"', "CXF", {
    token: "S",
    outcome: "model_outcome_unknown",
  }],
];

Deno.test("advance() refuses facts of edits that do not fit those before", () => {
  for (
    const [message, before, { token, ...facts }] of REFUSED as readonly [
      string,
      string,
      { token: string },
    ][]
  ) {
    const all = FIRST_STEP + before;
    const position = positionAfter(all);
    const record = { ...recordOf(token, all), ...facts } as LogRecord;
    assertThrows(() => advance(position, record, 0), RunLogCorruptError, message);
  }
});

Deno.test("advance() refuses every record of an edit in a run without a policy", () => {
  const started = { ...STARTED, parameters: {} } as LogRecord;
  for (const token of "EFc") {
    assertThrows(() => positionAfter(FIRST_STEP + token, started), RunLogCorruptError, "no policy");
  }
});

Deno.test("a run may finish after a pass, and not while steps are being summed up", () => {
  for (
    const [tokens, may] of [["E", 1], ["F", 1], ["cw", 1], ["c", 0], ["cr", 0], ["ccw", 0], [
      "CXE",
      1,
    ], ["CCXE", 0]] as const
  ) {
    const position = positionAfter(FIRST_STEP + tokens);
    const { counters } = position.tally;
    const finished: LogRecord = {
      type: "run_finished",
      stopReason: "cancelled",
      stopConditions: ["cancelled"],
      counters,
      abandoned: [],
      at: AT,
    };
    if (may) assertEquals(advance(position, finished, 0).kind, "finished", tokens);
    else assertThrows(() => advance(position, finished, 0), RunLogCorruptError, "finishes", tokens);
  }
});

Deno.test("the fold counts calls of summaries, keeps the first edit's size, and how a failed summary ended", () => {
  const { tally, ...position } = positionAfter("CSEcre");
  assertEquals(position.kind === "between_steps" && position.pass, {
    beforeChars: 100,
    hasFailedSummary: false,
  });
  assertEquals([tally.counters.modelCalls, tally.edits, tally.summaries], [2, 2, 1]);
  assertEquals(positionAfter("CSE").tally.failedSummaryChars, undefined);
  assertEquals(positionAfter("CSF").tally.failedSummaryChars, 0);
  assertEquals(positionAfter("CSFC").tally.failedSummaryChars, 10);
  assertEquals(positionAfter("CScreCS").tally.summaries, 0);
});
