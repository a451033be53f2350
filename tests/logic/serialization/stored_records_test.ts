import { assert, assertEquals, assertThrows } from "@std/assert";
import { decodeLog, encodeEntry } from "../../../logic/serialization/mod.ts";
import { parseFaithfulJson } from "../../../logic/tools/mod.ts";
import {
  type DecisionRecord,
  digest,
  frameLogLine,
  type JsonValue,
  type LogRecord,
  type ModelReplyRecord,
  type PlannedAction,
  type ReplyToolCall,
  RunLogCorruptError,
  type StoredActionDecision,
  type StoredRecord,
  type StoredToolCall,
} from "../../../types/mod.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { repliedDecisions } from "./generated_replies.ts";

const CALL: ReplyToolCall = {
  id: "c",
  name: "look",
  arguments: { at: [1] },
  rawArguments: '{"at": [1]}',
};
const CALL_ACTION: PlannedAction = {
  action: { tool: "look", arguments: { at: [1] } },
  toolName: "look",
  toolCall: { id: "c", name: "look", arguments: { at: [1] } },
};

function replied(toolCalls: readonly ReplyToolCall[], stepIndex = 0): ModelReplyRecord {
  const callId = `r/s${stepIndex}`;
  return { type: "model_reply", stepIndex, callId, attempt: 1, reply: { text: "", toolCalls } };
}

function decided(actions: readonly PlannedAction[], stepIndex = 0): DecisionRecord {
  return { type: "decision", stepIndex, decision: { kind: "action", actions }, historyText: "" };
}

/** A decision as a line holds it, after its reply or alone. */
function decidedAs(actions: readonly unknown[]): object {
  return { type: "decision", stepIndex: 0, decision: { kind: "action", actions } };
}

function decidedAloneAs(actions: readonly unknown[], stepIndex = 0): object {
  return { ...decidedAs(actions), stepIndex, historyText: "" };
}

/** The records of one entry as its line holds them. */
function stored(...records: readonly LogRecord[]): readonly StoredRecord[] {
  const { line } = encodeEntry(0, digest("r"), records);
  return JSON.parse(line).records;
}

/** What is read from an entry whose line holds this. */
function read(records: readonly unknown[], schema = "1.0"): readonly LogRecord[] {
  const { line } = frameLogLine(0, digest("r"), JSON.stringify(records).slice(1, -1));
  return decodeLog("r", [hashedAnew(line.replace('"1.0"', `"${schema}"`))])[0]!.records;
}

function hashedAnew(line: string): string {
  const content = line.slice(0, line.lastIndexOf(',"hash":'));
  return `${content},"hash":"${digest(content)}"}`;
}

function storedCalls(...calls: readonly ReplyToolCall[]): readonly StoredToolCall[] {
  const [record] = stored(replied(calls));
  assert(record?.type === "model_reply");
  return record.reply.toolCalls ?? [];
}

function storedActions(
  calls: readonly ReplyToolCall[],
  actions: readonly PlannedAction[],
): StoredActionDecision["actions"] {
  const [, record] = stored(replied(calls), decided(actions));
  assert(record?.type === "decision" && record.decision.kind === "action");
  return record.decision.actions;
}

function refused(records: readonly unknown[], reason: string): void {
  const error = assertThrows(() => read(records), RunLogCorruptError, reason);
  assertEquals(error.seq, 0);
}

Deno.test("encodeEntry() writes a call's arguments once, as the model wrote them", () => {
  assertEquals(storedCalls(CALL), [{ id: "c", name: "look", raw: '{"at": [1]}' }]);
});

Deno.test("encodeEntry() writes a call's arguments beside a raw text that does not give them", () => {
  const cases: readonly (readonly [raw: string, args: JsonValue])[] = [
    ["", {}],
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"id":12345678901234567890}', { id: 12345678901234567000 }],
    ['{"a":1}', { a: 2 }],
    ['{"a":1,"b":2}', { b: 2, a: 1 }],
    ["-0", 0],
  ];
  for (const [raw, args] of cases) {
    const call = { ...CALL, arguments: args, rawArguments: raw };
    assertEquals(storedCalls(call), [{ id: "c", name: "look", raw, arguments: args }]);
  }
  const broken = { name: "look", arguments: null, rawArguments: "{", argumentsError: "cut off" };
  assertEquals(storedCalls(broken), [
    { name: "look", raw: "{", arguments: null, argumentsError: "cut off" },
  ]);
});

Deno.test("encodeEntry() writes an action that is a call of the reply as the call's place", () => {
  const second = { ...CALL, id: "d" };
  const ofSecond = { ...CALL_ACTION, toolCall: { ...CALL_ACTION.toolCall!, id: "d" } };
  assertEquals(storedActions([CALL, second], [CALL_ACTION, ofSecond]), [0, 1]);
  assertEquals(storedActions([CALL, second], [ofSecond, CALL_ACTION, ofSecond]), [1, 0, 1]);
  assertEquals(storedActions([CALL, CALL], [CALL_ACTION, CALL_ACTION]), [0, 0]);
});

Deno.test("encodeEntry() writes an action whole that is not exactly a call of the reply", () => {
  const { action, toolName, toolCall } = CALL_ACTION;
  const others: readonly PlannedAction[] = [
    { action },
    { action, toolName: "look" },
    { action, toolCall: toolCall! },
    { ...CALL_ACTION, toolName: "say" },
    { ...CALL_ACTION, action: { tool: "say", arguments: { at: [1] } } },
    { ...CALL_ACTION, action: { arguments: { at: [1] }, tool: "look" } },
    { ...CALL_ACTION, action: { tool: "look", arguments: { at: [1] }, more: 1 } },
    { ...CALL_ACTION, action: { tool: "look", arguments: { at: { 0: 1 } } } },
    { ...CALL_ACTION, toolCall: { name: "look", arguments: { at: [1] } } },
    { ...CALL_ACTION, toolCall: { id: "c", name: "look", arguments: { at: [2] } } },
  ];
  for (const other of others) assertEquals(storedActions([CALL], [other]), [other]);
  assertEquals(storedActions([], [CALL_ACTION]), [CALL_ACTION]);
  assertEquals(toolName, CALL.name);
});

Deno.test("encodeEntry() writes a decision whole whose reply stands in another entry", () => {
  const first = encodeEntry(0, digest("r"), [replied([CALL])]);
  const second = encodeEntry(1, first.hash, [decided([CALL_ACTION])]);
  assertEquals(JSON.parse(second.line).records, [decided([CALL_ACTION])]);
  const [, entry] = decodeLog("r", [first.line, second.line]);
  assertEquals(entry?.records, [decided([CALL_ACTION])]);
});

Deno.test("encodeEntry() writes a decision whole beside a reply of another step", () => {
  const [reply, decision] = stored(replied([CALL], 3), decided([CALL_ACTION], 4));
  assertEquals(decision, decided([CALL_ACTION], 4));
  assertEquals(read([reply, decision]), [replied([CALL], 3), decided([CALL_ACTION], 4)]);
});

Deno.test("encodeEntry() writes what history shows of a reply where that is not its text", () => {
  const texts = (historyText: string, stepIndex = 0) =>
    stored(replied([CALL]), { ...decided([CALL_ACTION], stepIndex), historyText }).map((record) =>
      record.type === "decision" && record.historyText
    )[1];
  assertEquals([texts(""), texts("say"), texts("", 1), texts("say", 1)], [
    undefined,
    "say",
    "",
    "say",
  ]);
});

Deno.test("decodeLog() takes what history shows from the reply of the same entry alone", () => {
  const [reply, decision] = stored(replied([CALL]), decided([CALL_ACTION]));
  assertEquals(read([reply, decision]), [replied([CALL]), decided([CALL_ACTION])]);
  const twice =
    "records[1].historyText is wrong: it is the reply's text, which must not stand twice";
  refused([reply, decidedAloneAs([0])], twice);
  const missing = "historyText is wrong: it is missing, and no reply gives it";
  refused([decidedAs([CALL_ACTION])], missing);
  refused([reply, { ...decidedAs([CALL_ACTION]), stepIndex: 4 }], missing);
});

Deno.test("decodeLog() refuses a number that is no call of the reply", () => {
  const [reply] = stored(replied([CALL]));
  refused(
    [reply, decidedAs([1])],
    "records[1].decision.actions[0] is wrong: the reply has no call 1",
  );
  refused([decidedAloneAs([0])], "the reply has no call 0");
  refused([reply, decidedAloneAs([0], 4)], "the reply has no call 0");
  for (const place of [-1, 0.5]) refused([reply, decidedAs([place])], "must be a whole number");
});

Deno.test("decodeLog() refuses every form but the one that encodeEntry() writes", () => {
  const withCall = (call: object) => [{ ...replied([]), reply: { text: "", toolCalls: [call] } }];
  const bare = { name: "look", raw: '{"at": [1]}' };
  refused(
    withCall({ ...bare, arguments: { at: [1] } }),
    ".arguments is wrong: the raw text gives them",
  );
  refused(withCall({ ...bare, raw: "{" }), ".raw is wrong: it does not give the arguments");
  refused(withCall({ ...bare, raw: '{"a":1,"a":1}' }), ".raw is wrong: it does not give");
  refused(withCall({ ...bare, raw: "[-0]" }), ".raw is wrong: it does not give");
  refused(withCall({ ...bare, raw: "[".repeat(2_000) + "]".repeat(2_000) }), "does not give");
  refused(withCall({ ...CALL }), "toolCalls[0].raw is wrong: it is missing");

  const [reply] = stored(replied([CALL, CALL]));
  refused([reply, decidedAs([CALL_ACTION])], "it is call 0 of the reply and must be that number");
  refused([reply, decidedAs([1])], "it is call 0 of the reply and must be that number");
});

Deno.test("decodeLog() keeps the fields that a later minor added to a call and to an action", () => {
  const call = { id: "c", name: "look", raw: "{}", brandNew: 1 };
  const action = { ...CALL_ACTION, brandNew: 1 };
  const records = [
    { ...replied([]), reply: { text: "", toolCalls: [call], brandNew: 1 } },
    { ...decidedAs([action, 0]), brandNew: 1 },
  ];
  const [reply, decision] = read(records, "1.9");
  assert(reply?.type === "model_reply" && decision?.type === "decision");
  const whole = { id: "c", name: "look", arguments: {}, rawArguments: "{}", brandNew: 1 };
  assertEquals({ ...reply.reply }, { text: "", toolCalls: [whole], brandNew: 1 } as object);
  assertEquals(Object(decision).brandNew, 1);
  assertEquals(Object(decision.decision).actions[0], action);
});

/** Whether two values are the same, the order of all keys included. */
function isSameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

Deno.test("decodeLog() gives back generated replies with their decisions", () => {
  let [calls, once, actions, places] = [0, 0, 0, 0];
  for (const { reply, decision } of repliedDecisions(fuzzRounds(100_000), 11)) {
    const together = reply.stepIndex % 2 === 0;
    const first = encodeEntry(0, digest("r"), together ? [reply, decision] : [reply]);
    const lines = [first.line];
    if (!together) lines.push(encodeEntry(1, first.hash, [decision]).line);
    const records = decodeLog("r", lines).flatMap((entry) => entry.records);
    assert(isSameText(records, [reply, decision]), JSON.stringify([reply, decision]));

    const [inReply, inDecision] = lines.flatMap((line): StoredRecord[] => JSON.parse(line).records);
    assert(inReply?.type === "model_reply" && inDecision?.type === "decision");
    for (const [i, call] of (inReply.reply.toolCalls ?? []).entries()) {
      calls++;
      if (call.arguments !== undefined) continue;
      once++;
      assert(parseFaithfulJson(call.raw).ok, call.raw);
      assert(isSameText(JSON.parse(call.raw), reply.reply.toolCalls?.[i]?.arguments));
    }
    const isShown = decision.historyText === reply.reply.text;
    assertEquals(inDecision.historyText === undefined, together && isShown);
    if (!together || inDecision.decision.kind !== "action") continue;
    actions += inDecision.decision.actions.length;
    places += inDecision.decision.actions.filter((action) => typeof action === "number").length;
  }
  assert(once > 0.2 * calls && once < 0.8 * calls, `${once} of ${calls} calls`);
  assert(places > 0.1 * actions && places < 0.8 * actions, `${places} of ${actions} actions`);
});

Deno.test("decodeLog() refuses generated replies and decisions in their other form", () => {
  for (const { reply, decision } of repliedDecisions(fuzzRounds(100_000), 12)) {
    const records = stored(reply, decision);
    const [inReply, inDecision] = records;
    assert(inReply?.type === "model_reply" && inDecision?.type === "decision");
    for (const [i, call] of (inReply.reply.toolCalls ?? []).entries()) {
      if (call.arguments !== undefined) continue;
      const whole = { ...call, arguments: reply.reply.toolCalls![i]!.arguments };
      const toolCalls = inReply.reply.toolCalls!.with(i, whole);
      refused([{ ...inReply, reply: { ...inReply.reply, toolCalls } }], "must not stand twice");
    }
    if (decision.decision.kind !== "action" || inDecision.decision.kind !== "action") continue;
    for (const [i, action] of inDecision.decision.actions.entries()) {
      if (typeof action !== "number") continue;
      const actions = inDecision.decision.actions.with(i, decision.decision.actions[i]!);
      const other = { ...inDecision, decision: { ...inDecision.decision, actions } };
      refused([inReply, other], "must be that number");
    }
  }
});
