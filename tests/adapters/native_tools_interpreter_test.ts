import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  NATIVE_TOOLS_TEXTS,
  nativeToolsInterpreter,
  type NativeToolsInterpreterOptions,
} from "../../adapters/native_tools_interpreter.ts";
import type { Interpretation } from "../../ports/mod.ts";
import {
  FINISH_REASONS,
  type FinishReason,
  type ModelReply,
  type ReplyToolCall,
  UnsupportedSchemaError,
} from "../../types/mod.ts";

const context = { runId: "r", stepIndex: 0, signal: new AbortController().signal };

function read(reply: ModelReply, options?: NativeToolsInterpreterOptions): Interpretation {
  return nativeToolsInterpreter(options).interpret(reply, context) as Interpretation;
}

function explanation(reply: ModelReply, options?: NativeToolsInterpreterOptions): string {
  const { decision } = read(reply, options);
  assert(decision.kind === "invalid", `it is ${JSON.stringify(decision)}`);
  return decision.explanation;
}

function call(name: string, fields: Partial<ReplyToolCall> = {}): ReplyToolCall {
  return { name, arguments: { a: 1 }, rawArguments: '{"a":1}', ...fields };
}

Deno.test("nativeToolsInterpreter() reads calls as actions, in order, whatever their ids are", () => {
  const calls = [call("b", { id: "same" }), call("a", { id: "same" }), call("b")];
  const toolCall = (name: string, id?: string) => ({
    action: { tool: name, arguments: { a: 1 } },
    toolName: name,
    toolCall: id === undefined ? { name, arguments: { a: 1 } } : { id, name, arguments: { a: 1 } },
  });
  const { decision, historyText } = read({ text: "I call", toolCalls: calls });
  assertEquals(decision, {
    kind: "action",
    actions: [toolCall("b", "same"), toolCall("a", "same"), toolCall("b")],
  });
  assertEquals(historyText, "I call");
});

Deno.test("nativeToolsInterpreter() decides by what a reply holds, over every finish reason", () => {
  const finished = (reason?: FinishReason) => reason === undefined || reason === "stop";
  for (const reason of [undefined, ...FINISH_REASONS]) {
    const finish = reason === undefined ? {} : { finishReason: reason };
    const kind = (reply: ModelReply) => read({ ...reply, ...finish }).decision.kind;
    const isOpen = reason === "tool_calls" || reason === "unknown";
    const withCalls = finished(reason) || isOpen ? "action" : "invalid";
    const withText = finished(reason) ? "final_answer" : "invalid";
    assertEquals(kind({ text: "", toolCalls: [call("a")] }), withCalls, reason);
    assertEquals(kind({ text: "x", toolCalls: [call("a")] }), withCalls, reason);
    assertEquals(kind({ text: "x" }), withText, reason);
    assertEquals(kind({ text: "x", toolCalls: [] }), withText, reason);
    for (const text of ["", " \n"]) assertEquals(kind({ text }), "invalid", reason);
  }
});

Deno.test("nativeToolsInterpreter() says why it takes no action", () => {
  const { missingCalls, emptyReply } = NATIVE_TOOLS_TEXTS;
  assertEquals(explanation({ text: "x", finishReason: "tool_calls" }), missingCalls);
  assertEquals(explanation({ text: "", finishReason: "stop" }), emptyReply);
  for (const finishReason of ["length", "pause", "content_filter", "refusal"] as const) {
    assertStringIncludes(explanation({ text: "x", finishReason }), finishReason);
  }
  const malformed = explanation({ text: "x", toolCalls: [call("a")], finishReason: "malformed" });
  assertEquals(malformed, NATIVE_TOOLS_TEXTS.malformedCall);
  const unknown = { text: "x", finishReason: "unknown", rawFinishReason: "finished" } as const;
  for (const said of ['"finished"', "acceptFinishReasons"]) {
    assertStringIncludes(explanation(unknown), said);
  }
});

Deno.test("nativeToolsInterpreter() executes no call of a reply with arguments that it cannot read", () => {
  const bad = call("$&", {
    arguments: null,
    rawArguments: "{}",
    argumentsError: "it ends at {tool}",
  });
  for (const toolCalls of [[bad], [call("a"), bad], [bad, call("a")]]) {
    const shown = explanation({ text: "", toolCalls });
    assertStringIncludes(shown, '"$&"');
    assertStringIncludes(shown, "it ends at {tool}");
  }
});

Deno.test("nativeToolsInterpreter() explains every call that it cannot read", () => {
  const bad = (name: string, rawArguments: string) =>
    call(name, { arguments: null, rawArguments, argumentsError: "x" });
  const shown = explanation({
    text: "",
    toolCalls: [bad("a", '{"n":1e400}'), call("b"), bad("c", "[1]"), bad("d", '{"k":1,"k":2}')],
  });
  for (const said of ["arguments.n: 1e400", "an object, not an array", "arguments.k:"]) {
    assertStringIncludes(shown, said);
  }
  assertEquals(shown.split("\n").length, 3);
});

Deno.test("nativeToolsInterpreter() hands arguments on as they are", () => {
  for (const value of [null, [], {}, "x", 0, { __proto__: null, "": [] }]) {
    const { decision } = read({ text: "", toolCalls: [call("a", { arguments: value })] });
    assert(decision.kind === "action");
    assertEquals(decision.actions[0]?.action, { tool: "a", arguments: value });
    assertEquals(decision.actions[0]?.toolCall?.arguments, value);
  }
});

Deno.test("nativeToolsInterpreter() takes an answer that fits its schema", () => {
  const answerSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const text = 'So:\n```json\n{"n": 1}\n```\n';
  for (const fitting of ['{"n": 1}', ' {"n": 1}\n', text]) {
    assertEquals(read({ text: fitting }, { answerSchema }), {
      decision: { kind: "final_answer", answer: { n: 1 } },
      historyText: fitting,
    });
  }
  const wrong: [text: string, said: string][] = [
    ["It is 1", "must be JSON"],
    ["{", "must be JSON"],
    ['{"n": 1e400}', "$.n: 1e400"],
    ['```json\n{"n": 1}\n```\nor\n```json\n{"n": 2}\n```', "several json blocks or values: 2"],
    ['{"n": 1}\n{"n": 2}', "several json blocks or values: 2"],
    ['{"n": 1} or {"n": 2}', "several json blocks or values: 2"],
    ['```json\n{"n": 1}\n{"n": 2}\n```', "several json blocks or values: 2"],
    ['```json\n{"n": 1}', "the json block that starts in line 1 is never closed"],
    ["```json\n```py\n1\n```\n```", "another fence inside it, in line 2"],
    ['```\n{"n": 1}\n```', "no block is marked json"],
    ['{"n": "1"}', 'at "/n" (type)'],
    ["{}", "(required)"],
    ["4", "(type)"],
  ];
  for (const [text, said] of wrong) {
    assertStringIncludes(explanation({ text }, { answerSchema }), said, text);
  }
  assertEquals(
    read({ text: "", toolCalls: [call("a")] }, { answerSchema }).decision.kind,
    "action",
  );
  assertThrows(() => nativeToolsInterpreter({ answerSchema: 1 }), UnsupportedSchemaError);
});

Deno.test("nativeToolsInterpreter() tells in parameters() all that bears on a run", () => {
  const parameters = nativeToolsInterpreter().parameters();
  const others: NativeToolsInterpreterOptions[] = [
    { answerSchema: true },
    ...Object.keys(NATIVE_TOOLS_TEXTS).map((name) => ({ texts: { [name]: "other" } })),
  ];
  for (const other of others) {
    assertNotEquals(nativeToolsInterpreter(other).parameters(), parameters);
  }
  const [a, b] = [{ type: "object", minProperties: 1 }, { minProperties: 1, type: "object" }];
  assertEquals(
    nativeToolsInterpreter({ answerSchema: a }).parameters(),
    nativeToolsInterpreter({ answerSchema: b }).parameters(),
  );
});
