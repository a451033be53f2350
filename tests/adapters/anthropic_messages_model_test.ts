import { assertEquals, assertFalse, assertStringIncludes, assertThrows } from "@std/assert";
import {
  anthropicMessagesModel,
  type AnthropicMessagesModelOptions,
} from "../../adapters/anthropic_messages_model.ts";
import type { ModelCall, ModelDelta } from "../../ports/mod.ts";
import { InvalidRequestError, type JsonValue, type ModelReply } from "../../types/mod.ts";
import { failureOf, message, modelCall } from "./model_calls.ts";
import {
  jsonAnswer,
  onePiece,
  type RawAnswer,
  rawHttpServer,
  streamAnswer,
} from "./raw_http_server.ts";

const OK = { type: "message", content: [{ type: "text", text: "ok" }], stop_reason: "end_turn" };

type Options = Partial<AnthropicMessagesModelOptions>;

/** Sends one call to a server of its own; gives the request's body, and the reply. */
async function exchange(
  call: Partial<ModelCall>,
  options: Options = {},
  answer: RawAnswer = jsonAnswer(OK),
): Promise<{ sent: Record<string, JsonValue>; reply: ModelReply }> {
  await using server = rawHttpServer(answer);
  const model = anthropicMessagesModel({
    baseUrl: server.origin,
    model: "fx",
    maxTokens: 100,
    ...options,
  });
  const reply = await model.call(modelCall(call));
  assertEquals(server.requests.length, 1);
  return { sent: JSON.parse(server.requests[0]!.body), reply };
}

function events(...parts: readonly JsonValue[]): RawAnswer {
  return streamAnswer(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(""));
}

const text = (said: string) => ({ type: "text", text: said });
const call = (toolCallId: string, name: string, args: JsonValue = {}) =>
  ({ type: "tool_call", toolCallId, name, arguments: args }) as const;
const result = (toolCallId: string, said: string, isError = false) =>
  ({ type: "tool_result", toolCallId, text: said, isError }) as const;

Deno.test("anthropicMessagesModel() posts to its path, with version, key and the system apart", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = anthropicMessagesModel({
    baseUrl: `${server.origin}/proxy/?x=1`,
    model: "fx",
    maxTokens: 100,
    apiKey: "sk-1",
    headers: { "anthropic-beta": "b" },
    request: { temperature: 0 },
  });
  const messages = [
    message("system", "Be brief.", "Be kind."),
    message("user", "How many?"),
    message("assistant", "Which?"),
    message("system", "Be quick."),
    message("user", "All."),
  ];
  await model.call(modelCall({ messages }));
  const [request] = server.requests;
  assertEquals([request!.method, request!.path], ["POST", "/proxy/v1/messages?x=1"]);
  const header = (name: string) => request!.headers.get(name);
  assertEquals(
    [header("x-api-key"), header("anthropic-version"), header("anthropic-beta")],
    ["sk-1", "2023-06-01", "b"],
  );
  assertEquals(header("authorization"), null);
  assertEquals(JSON.parse(request!.body), {
    model: "fx",
    system: [text("Be brief."), text("Be kind."), text("Be quick.")],
    messages: [
      { role: "user", content: [text("How many?")] },
      { role: "assistant", content: [text("Which?")] },
      { role: "user", content: [text("All.")] },
    ],
    max_tokens: 100,
    temperature: 0,
  });
});

Deno.test("anthropicMessagesModel() sends native history as blocks, results first in the user's turn", async () => {
  const messages = [
    message("user", "Read both."),
    message(
      "assistant",
      "Checking.",
      call("s0_a0", "gauge.read", { well: 3 }),
      call("s0_a1", "list"),
    ),
    message("user", "while you wait"),
    message("tool", result("s0_a0", "7")),
    message("tool", result("s0_a1", "", true)),
    message("user", "and now?"),
  ];
  const tools = [{ name: "gauge.read", description: "Reads.", parameters: { type: "object" } }];
  const { sent } = await exchange({ messages, tools });
  assertEquals(sent.messages, [
    { role: "user", content: [text("Read both.")] },
    {
      role: "assistant",
      content: [
        text("Checking."),
        { type: "tool_use", id: "s0_a0", name: "gauge_read", input: { well: 3 } },
        { type: "tool_use", id: "s0_a1", name: "list", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "s0_a0", content: [text("7")] },
        { type: "tool_result", tool_use_id: "s0_a1", is_error: true },
        text("while you wait"),
        text("and now?"),
      ],
    },
  ]);
  assertEquals(sent.tools, [
    { name: "gauge_read", description: "Reads.", input_schema: { type: "object" } },
  ]);
  assertEquals(Object.keys(sent), ["model", "messages", "tools", "max_tokens"]);
});

Deno.test("anthropicMessagesModel() leaves out blank texts, and turns that say nothing", async () => {
  const messages = [
    message("system", " \n"),
    message("user", "", " ", "a "),
    message("assistant", "\t"),
    message("user", "b"),
  ];
  const { sent } = await exchange({ messages, tools: [] });
  assertEquals(sent, {
    model: "fx",
    messages: [{ role: "user", content: [text("a "), text("b")] }],
    max_tokens: 100,
  });
});

Deno.test("anthropicMessagesModel() refuses what the wire cannot say, and sends nothing", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = anthropicMessagesModel({ baseUrl: server.origin, model: "fx", maxTokens: 1 });
  for (const args of [null, [], "{}", 7]) {
    const error = await failureOf(model, {
      messages: [message("assistant", call("a", "n", args))],
    });
    assertStringIncludes(error.message, "arguments of a tool call in the prompt are not an object");
    assertEquals([error.kind, error.retriable], ["bad_request", false]);
  }
  const misplaced = await failureOf(model, { messages: [message("user", call("a", "n"))] });
  assertEquals(misplaced.kind, "bad_request");
  const tool = { description: "", parameters: {} };
  const tools = [{ ...tool, name: "a.b" }, { ...tool, name: "a_b" }];
  assertStringIncludes((await failureOf(model, { tools })).message, '"a.b" and "a_b"');
  assertEquals(server.requests, []);
});

Deno.test("anthropicMessagesModel() makes lone surrogates U+FFFD on the wire alone, but in its own provider data", async () => {
  const thinking = { type: "thinking", thinking: "\ud83c", signature: "s" };
  const messages = [
    message("user", "\ud83c"),
    {
      ...message("assistant", "\udf0a", call("a", "n", { "\ud83c": "\ud83c" })),
      providerData: { adapter: "anthropic_messages", content: [thinking] },
    },
    message("tool", result("a", "\ud83c")),
  ];
  const { sent } = await exchange({ messages });
  const [asked, answered, observed] = sent.messages as { content: JsonValue[] }[];
  assertEquals(asked!.content, [text("\ufffd")]);
  assertEquals(answered!.content, [
    thinking,
    text("\ufffd"),
    { type: "tool_use", id: "a", name: "n", input: { "\ufffd": "\ufffd" } },
  ]);
  assertEquals(observed!.content, [
    { type: "tool_result", tool_use_id: "a", content: [text("\ufffd")] },
  ]);
});

const THOUGHT = { type: "thinking", thinking: "Low first.", signature: "c2ln+/=", extra: 1 };
const REDACTED = { type: "redacted_thinking", data: "b3BhcXVl" };
const SECOND_THOUGHT = { type: "thinking", thinking: "", signature: "ZW1wdHk=" };

Deno.test("anthropicMessagesModel() hands reasoning blocks back unchanged and in their places", async () => {
  const content = [
    THOUGHT,
    REDACTED,
    text("I look."),
    { type: "tool_use", id: "t1", name: "a_b", input: {} },
    SECOND_THOUGHT,
    { type: "tool_use", id: "t2", name: "list", input: { n: 1 } },
  ];
  const tools = [{ name: "a.b", description: "", parameters: {} }];
  const answer = jsonAnswer({ ...OK, content, stop_reason: "tool_use" });
  const { reply } = await exchange({ tools }, {}, answer);
  assertEquals(reply.reasoning, "Low first.");
  assertEquals(reply.toolCalls?.map(({ name }) => name), ["a.b", "list"]);
  const history = {
    ...message("assistant", "I look.", call("s0_a0", "a.b"), call("s0_a1", "list", { n: 1 })),
    providerData: reply.providerData!,
  };
  const { sent } = await exchange({ messages: [history], tools });
  assertEquals((sent.messages as { content: JsonValue }[])[0]!.content, [
    THOUGHT,
    REDACTED,
    text("I look."),
    { type: "tool_use", id: "s0_a0", name: "a_b", input: {} },
    SECOND_THOUGHT,
    { type: "tool_use", id: "s0_a1", name: "list", input: { n: 1 } },
  ]);
});

Deno.test("anthropicMessagesModel() hands reasoning back where history shows less or more than the reply", async () => {
  const providerData = {
    adapter: "anthropic_messages",
    content: [THOUGHT, { type: "text" }, { type: "text" }, { type: "tool_use" }, REDACTED],
  };
  const { sent } = await exchange({
    messages: [
      { ...message("assistant"), providerData },
      message("user", "?"),
      { ...message("assistant", "one", "two", "three"), providerData },
    ],
  });
  const [first, , last] = sent.messages as { content: JsonValue }[];
  assertEquals(first!.content, [THOUGHT, REDACTED]);
  assertEquals(last!.content, [THOUGHT, text("one"), text("two"), REDACTED, text("three")]);
});

Deno.test("anthropicMessagesModel() ignores provider data of others, and has none without reasoning", async () => {
  const foreign: JsonValue[] = [
    { adapter: "chat_completions", message: { reasoning: "x" }, content: [THOUGHT] },
    { adapter: "anthropic_messages" },
    { adapter: "anthropic_messages", content: "thinking" },
    { adapter: "anthropic_messages", content: [null, "thinking", []] },
    "anthropic_messages",
    null,
  ];
  for (const providerData of foreign) {
    const messages = [{ ...message("assistant", "a", call("i", "n"), "b"), providerData }];
    const { sent, reply } = await exchange({ messages });
    assertEquals((sent.messages as { content: JsonValue }[])[0]!.content, [
      text("a"),
      { type: "tool_use", id: "i", name: "n", input: {} },
      text("b"),
    ]);
    assertEquals(reply, { text: "ok", finishReason: "stop", rawFinishReason: "end_turn" });
  }
});

Deno.test("anthropicMessagesModel() reads a stream's blocks in order, and gives deltas in order", async () => {
  const deltas: ModelDelta[] = [];
  const delta = (index: number, change: JsonValue) => ({
    type: "content_block_delta",
    index,
    delta: change,
  });
  const answer = events(
    {
      type: "message_start",
      message: { id: "msg_1", model: "fx-0711", usage: { input_tokens: 5, output_tokens: 1 } },
    },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    delta(0, { type: "thinking_delta", thinking: "Low." }),
    delta(0, { type: "signature_delta", signature: "c2" }),
    delta(0, { type: "signature_delta", signature: "ln" }),
    { type: "content_block_start", index: 1, content_block: REDACTED },
    { type: "content_block_start", index: 2, content_block: text("I ") },
    delta(2, { type: "text_delta", text: "look." }),
    {
      type: "content_block_start",
      index: 3,
      content_block: { type: "server_tool_use", id: "x", name: "search", input: {} },
    },
    delta(3, { type: "input_json_delta", partial_json: "{}" }),
    {
      type: "content_block_start",
      index: 4,
      content_block: { type: "tool_use", id: "t", name: "n", input: { whole: true } },
    },
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use" },
      usage: { output_tokens: 9, cache_read_input_tokens: 3, cache_creation_input_tokens: null },
    },
    { type: "message_stop" },
    { type: "message_delta", delta: { stop_reason: "refusal" } },
  );
  const { sent, reply } = await exchange(
    { onDelta: (piece) => void deltas.push(piece) },
    { stream: true },
    answer,
  );
  assertEquals(sent.stream, true);
  assertEquals(deltas, [
    { kind: "reasoning", text: "Low." },
    { kind: "text", text: "I " },
    { kind: "text", text: "look." },
  ]);
  assertEquals(reply, {
    text: "I look.",
    reasoning: "Low.",
    toolCalls: [{ id: "t", name: "n", arguments: { whole: true }, rawArguments: '{"whole":true}' }],
    finishReason: "tool_calls",
    rawFinishReason: "tool_use",
    usage: { inputTokens: 8, outputTokens: 9, cachedInputTokens: 3 },
    servedModel: "fx-0711",
    responseId: "msg_1",
    providerData: {
      adapter: "anthropic_messages",
      content: [
        { type: "thinking", thinking: "Low.", signature: "c2ln" },
        REDACTED,
        { type: "text" },
        { type: "tool_use" },
      ],
    },
  });
});

Deno.test("anthropicMessagesModel() gives the whole as deltas without a stream", async () => {
  const deltas: ModelDelta[] = [];
  const content = [THOUGHT, text("a"), text("b")];
  const onDelta = (piece: ModelDelta) => void deltas.push(piece);
  await exchange({ onDelta }, {}, jsonAnswer({ ...OK, content }));
  assertEquals(deltas.map(({ text: piece }) => piece), ["Low first.", "a", "b"]);
});

Deno.test("anthropicMessagesModel() flags arguments that JavaScript cannot hold", async () => {
  const body =
    '{"content":[{"type":"tool_use","id":"t","name":"n","input":{"id":12345678901234567890}},{"type":"tool_use","id":"t","name":"n","input": {"a":1,"a":2} }],"stop_reason":"tool_use"}';
  const { reply } = await exchange({}, {}, { ...jsonAnswer(null), pieces: onePiece(body) });
  assertEquals(reply.toolCalls, [
    {
      id: "t",
      name: "n",
      arguments: null,
      argumentsError: "unfaithful_number",
      rawArguments: '{"id":12345678901234567890}',
    },
    {
      id: "made_up_0",
      name: "n",
      arguments: null,
      argumentsError: "duplicate_key",
      rawArguments: '{"a":1,"a":2}',
    },
  ]);
});

Deno.test("anthropicMessagesModel() fails on a piece of a block that never began", async () => {
  await using server = rawHttpServer(events({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "lost" },
  }));
  const model = anthropicMessagesModel({
    baseUrl: server.origin,
    model: "fx",
    maxTokens: 1,
    stream: true,
  });
  assertEquals((await failureOf(model)).kind, "malformed_response");
});

Deno.test("anthropicMessagesModel() refuses options that are not as they must be, and quotes no secret", () => {
  const base = { baseUrl: "http://localhost:1", model: "fx", maxTokens: 1 };
  const wrong: [Options, string][] = [
    [{ model: "" }, "model"],
    [{ maxTokens: 0 }, "maxTokens"],
    [{ maxTokens: 1.5 }, "maxTokens"],
    [{ maxTokens: NaN }, "maxTokens"],
    [{ baseUrl: "secret" }, "baseUrl"],
    [{ apiKey: "secret\nkey" }, "headers.x-api-key"],
    ...["model", "max_tokens", "system", "messages", "tools", "stream"].map((
      name,
    ): [Options, string] => [{ request: { [name]: 1 } }, `request.${name}`]),
  ];
  for (const [options, field] of wrong) {
    const error = assertThrows(
      () => anthropicMessagesModel({ ...base, ...options }),
      InvalidRequestError,
    );
    assertEquals(error.field, field);
    assertFalse(/secret/.test(Deno.inspect(error)), Deno.inspect(error));
  }
});
