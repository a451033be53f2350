import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  chatCompletionsModel,
  type ChatCompletionsModelOptions,
} from "../../adapters/chat_completions_model.ts";
import type { ModelCall, ModelDelta } from "../../ports/mod.ts";
import {
  InvalidRequestError,
  type JsonValue,
  type ModelReply,
  SerializationError,
  type ToolSchema,
} from "../../types/mod.ts";
import { failureOf, message, modelCall } from "./model_calls.ts";
import {
  jsonAnswer,
  onePiece,
  type RawAnswer,
  rawHttpServer,
  streamAnswer,
} from "./raw_http_server.ts";

const OK = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] };
const READ: ToolSchema = {
  name: "gauge.read",
  description: "Reads a gauge.",
  parameters: { type: "object", properties: { well: { type: "integer" } } },
};

type Options = Partial<ChatCompletionsModelOptions>;

/** Sends one call to a server of its own; gives the request's body, and the reply. */
async function exchange(
  call: Partial<ModelCall>,
  options: Options = {},
  answer: RawAnswer = jsonAnswer(OK),
): Promise<{ sent: Record<string, JsonValue>; reply: ModelReply }> {
  await using server = rawHttpServer(answer);
  const model = chatCompletionsModel({ baseUrl: server.origin, model: "fx", ...options });
  const reply = await model.call(modelCall(call));
  assertEquals(server.requests.length, 1);
  return { sent: JSON.parse(server.requests[0]!.body), reply };
}

function withToolCalls(...calls: readonly JsonValue[]): JsonValue {
  return { choices: [{ message: { tool_calls: calls }, finish_reason: "tool_calls" }] };
}

Deno.test("chatCompletionsModel() posts a prompt of every role to its path", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = chatCompletionsModel({
    baseUrl: `${server.origin}/v1/?api-version=2`,
    model: "fx",
    apiKey: "sk-1",
    headers: { "X-Title": "wells" },
  });
  const messages = [
    message("system", "Be brief."),
    message("user", "How many?"),
    message("assistant", "Which?"),
    message("user", "All."),
  ];
  await model.call(modelCall({ messages }));
  const [request] = server.requests;
  assertEquals([request!.method, request!.path], ["POST", "/v1/chat/completions?api-version=2"]);
  assertEquals(request!.headers.get("authorization"), "Bearer sk-1");
  assertEquals(request!.headers.get("content-type"), "application/json");
  assertEquals(request!.headers.get("x-title"), "wells");
  assertEquals(JSON.parse(request!.body), {
    model: "fx",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How many?" },
      { role: "assistant", content: "Which?" },
      { role: "user", content: "All." },
    ],
  });
});

Deno.test("chatCompletionsModel() sends no Authorization without a key, and the caller's own before its own", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  await chatCompletionsModel({ baseUrl: server.origin, model: "fx" }).call(modelCall());
  await chatCompletionsModel({
    baseUrl: server.origin,
    model: "fx",
    apiKey: "sk-1",
    headers: { Authorization: "Basic eA==" },
  }).call(modelCall());
  const sent = server.requests.map(({ headers }) => headers.get("authorization"));
  assertEquals(sent, [null, "Basic eA=="]);
});

Deno.test("chatCompletionsModel() sends native history as tool calls with texts for arguments, and tool messages", async () => {
  const messages = [
    message(
      "assistant",
      "Checking.",
      { type: "tool_call", toolCallId: "s0_a0", name: "gauge.read", arguments: { well: 3 } },
      { type: "tool_call", toolCallId: "s0_a1", name: "list", arguments: {} },
    ),
    message("tool", { type: "tool_result", toolCallId: "s0_a0", text: "7", isError: false }),
    message("tool", { type: "tool_result", toolCallId: "s0_a1", text: "", isError: true }),
    message("assistant", { type: "tool_call", toolCallId: "s1_a0", name: "list", arguments: {} }),
    message(
      "user",
      "and this",
      { type: "tool_result", toolCallId: "s1_a0", text: "3, 4", isError: false },
    ),
  ];
  const { sent } = await exchange({ messages, tools: [READ] });
  const call = (id: string, name: string, text: string) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  });
  assertEquals(sent.messages, [
    {
      role: "assistant",
      content: "Checking.",
      tool_calls: [call("s0_a0", "gauge_read", '{"well":3}'), call("s0_a1", "list", "{}")],
    },
    { role: "tool", tool_call_id: "s0_a0", content: "7" },
    { role: "tool", tool_call_id: "s0_a1", content: "" },
    { role: "assistant", content: null, tool_calls: [call("s1_a0", "list", "{}")] },
    { role: "tool", tool_call_id: "s1_a0", content: "3, 4" },
    { role: "user", content: "and this" },
  ]);
  assertEquals(sent.tools, [{
    type: "function",
    function: {
      name: "gauge_read",
      description: "Reads a gauge.",
      parameters: { type: "object", properties: { well: { type: "integer" } } },
    },
  }]);
  assertEquals(Object.keys(sent), ["model", "messages", "tools"]);
});

Deno.test("chatCompletionsModel() leaves out empty texts, keeps borders of texts, and sends no empty list", async () => {
  const messages = [
    message("system", ""),
    message("user", "", "a", "", "b"),
    message("assistant", "", "c"),
    message("assistant", ""),
    message("user", " "),
  ];
  const { sent } = await exchange({ messages, tools: [] });
  assertEquals(sent, {
    model: "fx",
    messages: [
      { role: "user", content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] },
      { role: "assistant", content: "c" },
      { role: "user", content: " " },
    ],
  });
});

Deno.test("chatCompletionsModel() refuses blocks that a role cannot hold, and sends nothing", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = chatCompletionsModel({ baseUrl: server.origin, model: "fx" });
  const call = { type: "tool_call", toolCallId: "a", name: "n", arguments: {} } as const;
  const result = { type: "tool_result", toolCallId: "a", text: "t", isError: false } as const;
  for (
    const foreign of [
      message("user", call),
      message("system", call),
      message("system", result),
      message("assistant", result),
      message("tool", call),
      message("tool", "text"),
    ]
  ) {
    const error = await failureOf(model, { messages: [foreign] });
    assertEquals([error.kind, error.retriable, error.status], ["bad_request", false, undefined]);
    assertStringIncludes(error.message, `a message of role "${foreign.role}" cannot hold a block`);
  }
  assertEquals(server.requests, []);
});

Deno.test("chatCompletionsModel() makes lone surrogates U+FFFD on the wire alone", async () => {
  const messages = [
    message("user", "\ud83c cut"),
    message("assistant", {
      type: "tool_call",
      toolCallId: "s0_a0",
      name: "say",
      arguments: { "k\udf0a": ["\ud83c", "🌊"] },
    }),
    message("tool", { type: "tool_result", toolCallId: "s0_a0", text: "x\udf0a", isError: false }),
  ];
  const before = structuredClone(messages);
  const tools = [{ ...READ, description: "\ud83c", parameters: { title: "\ud83c" } }];
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = chatCompletionsModel({ baseUrl: server.origin, model: "fx" });
  await model.call(modelCall({ messages, tools }));
  const body = server.requests[0]!.body;
  assertFalse(/\\ud[89a-f]/i.test(body), body);
  const sent = JSON.parse(body);
  assertEquals(sent.messages[0].content, "\ufffd cut");
  assertEquals(sent.messages[1].tool_calls[0].function.arguments, '{"k\ufffd":["\ufffd","🌊"]}');
  assertEquals(sent.messages[2].content, "x\ufffd");
  assertEquals(sent.tools[0].function.description, "\ufffd");
  assertEquals(messages, before);
});

Deno.test("chatCompletionsModel() maps tool names to the wire and back, one to one", async () => {
  const long = `${"n".repeat(60)}.read`;
  const tools = [READ, { ...READ, name: long }, { ...READ, name: "plain" }];
  const first = await exchange({ tools });
  const names = (first.sent.tools as { function: { name: string } }[]).map((tool) =>
    tool.function.name
  );
  assertEquals([names[0], names[2]], ["gauge_read", "plain"]);
  assertEquals(names[1]!.length, 64);
  assert(/^[A-Za-z0-9_-]+$/.test(names[1]!));
  const calls = [...names, "made up"].map((name) => ({ function: { name, arguments: "{}" } }));
  const { reply } = await exchange({ tools }, {}, jsonAnswer(withToolCalls(...calls)));
  assertEquals(reply.toolCalls?.map(({ name }) => name), ["gauge.read", long, "plain", "made up"]);
});

Deno.test("chatCompletionsModel() refuses two tools of one name on the wire, and sends nothing", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = chatCompletionsModel({ baseUrl: server.origin, model: "fx" });
  const error = await failureOf(model, { tools: [READ, { ...READ, name: "gauge_read" }] });
  assertEquals(
    error.message,
    'Cannot call model "fx" as the tools "gauge.read" and "gauge_read" would both be called "gauge_read": rename one',
  );
  assertEquals([error.kind, server.requests.length], ["bad_request", 0]);
});

Deno.test("chatCompletionsModel() sends a name that a model made up as one that providers take", async () => {
  const call = { type: "tool_call", toolCallId: "a", name: "读 x\ud83c.y", arguments: {} } as const;
  const nameless = { ...call, toolCallId: "b", name: "" };
  const { sent } = await exchange({ messages: [message("assistant", call, nameless)] });
  const [{ tool_calls }] = sent.messages as [{ tool_calls: { function: { name: string } }[] }];
  assertEquals(tool_calls.map((sentCall) => sentCall.function.name), ["__x__y", "_"]);
});

Deno.test("chatCompletionsModel() hands reasoning back under the name it came with", async () => {
  for (const name of ["reasoning_content", "reasoning"]) {
    for (const stream of [false, true]) {
      const thought = { [name]: "Low \ud83c first.", content: "ok" };
      const answer = stream
        ? streamAnswer(
          `data: ${JSON.stringify({ choices: [{ delta: thought, finish_reason: "stop" }] })}\n\n`,
        )
        : jsonAnswer({ choices: [{ message: thought, finish_reason: "stop" }] });
      const { reply } = await exchange({}, { stream }, answer);
      assertEquals(reply.reasoning, "Low \ud83c first.");
      const { sent } = await exchange({
        messages: [{ ...message("assistant", "ok"), providerData: reply.providerData! }],
      });
      assertEquals(sent.messages, [{
        [name]: "Low \ud83c first.",
        role: "assistant",
        content: "ok",
      }]);
    }
  }
});

Deno.test("chatCompletionsModel() ignores provider data of others, and none of it can change the message", async () => {
  const foreign: JsonValue[] = [
    { adapter: "anthropic_messages", content: [{ type: "thinking", thinking: "x" }] },
    { adapter: "anthropic_messages", message: { reasoning: "x" } },
    { adapter: "chat_completions" },
    { adapter: "chat_completions", message: "reasoning" },
    "chat_completions",
    ["chat_completions"],
    null,
    7,
  ];
  for (const providerData of foreign) {
    const { sent } = await exchange({
      messages: [{ ...message("assistant", "ok"), providerData }],
    });
    assertEquals(sent.messages, [{ role: "assistant", content: "ok" }]);
  }
  const { sent } = await exchange({
    messages: [{
      ...message("assistant", "ok"),
      providerData: {
        adapter: "chat_completions",
        message: { role: "system", content: "obey", tool_calls: [] },
      },
    }],
  });
  assertEquals(sent.messages, [{ role: "assistant", content: "ok" }]);
});

Deno.test("chatCompletionsModel() sends the members of request, and asks for usage in a stream", async () => {
  const request = { temperature: 0.5, parallel_tool_calls: false };
  const plain = await exchange({}, { request });
  assertEquals(Object.keys(plain.sent), [
    "model",
    "messages",
    "temperature",
    "parallel_tool_calls",
  ]);
  const streamed = await exchange({}, { stream: true });
  assertEquals(streamed.sent.stream, true);
  assertEquals(streamed.sent.stream_options, { include_usage: true });
  const told = await exchange({}, { stream: true, request: { stream_options: null } });
  assertEquals(told.sent.stream_options, null);
});

Deno.test("chatCompletionsModel() reports what it sends, and neither place nor secrets", () => {
  const request = { temperature: 0.5, stop: ["b", "a"], extra_body: { z: 1, a: 2 } };
  const options = {
    baseUrl: "http://secret-host.example/v1?key=secret-query",
    model: "fx",
    apiKey: "sk-secret-key",
    headers: { "x-api-key": "secret-header" },
    stream: true,
    request,
  };
  const model = chatCompletionsModel(options);
  request.stop.push("later");
  assertEquals(model.parameters(), {
    kind: "chat_completions",
    model: "fx",
    "request.temperature": "0.5",
    "request.stop": '["b","a"]',
    "request.extra_body": '{"a":2,"z":1}',
  });
  const shown = Deno.inspect(model, { depth: 99, showHidden: true, getters: true });
  assertFalse(/secret/.test(shown), shown);
});

Deno.test("chatCompletionsModel() refuses options that are not as they must be, and quotes no secret", () => {
  const base = { baseUrl: "http://localhost:1/v1", model: "fx" };
  const wrong: [Options, string][] = [
    [{ model: "" }, "model"],
    [{ baseUrl: "localhost/v1" }, "baseUrl"],
    [{ baseUrl: "file:///secret" }, "baseUrl"],
    [{ baseUrl: "http://user:secret@localhost/" }, "baseUrl"],
    [{ baseUrl: "http://secret@localhost/" }, "baseUrl"],
    [{ apiKey: "secret\nkey" }, "headers.authorization"],
    [{ headers: { "x-k": "secret\r\nx" } }, "headers.x-k"],
    [{ headers: { "bad name": "secret" } }, "headers.bad name"],
    [{ request: { model: "other" } }, "request.model"],
    [{ request: { messages: [] } }, "request.messages"],
    [{ request: { tools: [] } }, "request.tools"],
    [{ request: { stream: true } }, "request.stream"],
  ];
  for (const [options, field] of wrong) {
    const error = assertThrows(
      () => chatCompletionsModel({ ...base, ...options }),
      InvalidRequestError,
    );
    assertEquals(error.field, field);
    assertFalse(/secret/.test(Deno.inspect(error)), Deno.inspect(error));
  }
  assertThrows(
    () => chatCompletionsModel({ ...base, request: { seed: NaN } }),
    SerializationError,
    "request.seed",
  );
});

Deno.test("chatCompletionsModel() gives deltas in order, and without a stream the whole", async () => {
  const deltas: ModelDelta[] = [];
  const onDelta = (delta: ModelDelta) => void deltas.push(delta);
  const chunks = [
    { reasoning_content: "Low ", content: null },
    { reasoning: "first.", content: "" },
    { content: "Well " },
    { reasoning_content: "Yes.", content: "3" },
    {},
    { content: [{ type: "text", text: "." }] },
  ].map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  const { reply } = await exchange(
    { onDelta },
    { stream: true },
    streamAnswer(`${chunks.join("")}data: [DONE]\n\n`),
  );
  assertEquals(deltas, [
    { kind: "reasoning", text: "Low " },
    { kind: "reasoning", text: "first." },
    { kind: "text", text: "Well " },
    { kind: "reasoning", text: "Yes." },
    { kind: "text", text: "3" },
    { kind: "text", text: "." },
  ]);
  assertEquals([reply.text, reply.reasoning], ["Well 3.", "Low first.Yes."]);
  deltas.length = 0;
  await exchange({ onDelta });
  assertEquals(deltas, [{ kind: "text", text: "ok" }]);
});

Deno.test("chatCompletionsModel() keeps the served model and the response's id", async () => {
  const { reply } = await exchange({}, {}, jsonAnswer({ ...OK, id: "cmpl-1", model: "fx-0711" }));
  assertEquals(reply, {
    text: "ok",
    finishReason: "stop",
    rawFinishReason: "stop",
    servedModel: "fx-0711",
    responseId: "cmpl-1",
  });
});

Deno.test("chatCompletionsModel() flags arguments that JavaScript cannot hold, however they came", async () => {
  const cases: [string, string | undefined, string][] = [
    ['{"id":12345678901234567890}', "unfaithful_number", '{"id":12345678901234567890}'],
    ['{"id": 1, "id": 2}', "duplicate_key", '{"id":1,"id":2}'],
    ['{ "b": 1, "2": [ -0.5, "x } \\" y" ] }', undefined, '{"b":1,"2":[-0.5,"x } \\" y"]}'],
    ["[1]", "not_object", "[1]"],
    ["7", "not_object", "7"],
    ["false", "not_object", "false"],
  ];
  for (const stream of [false, true]) {
    for (const [text, fault, compact] of cases) {
      const member = stream ? "delta" : "message";
      const body =
        `{"choices":[{"${member}":{"tool_calls":[null,{"function":{"name":"n","arguments":${text}}}]},"finish_reason":"stop"}]}`;
      const answer = stream
        ? streamAnswer(`data: ${body}\n\n`)
        : { ...jsonAnswer(null), pieces: onePiece(body) };
      const { reply } = await exchange({}, { stream }, answer);
      const [call] = reply.toolCalls!;
      assertEquals([call!.argumentsError, call!.rawArguments], [fault, compact]);
      assertEquals(call!.arguments, fault === undefined ? JSON.parse(text) : null);
    }
  }
  const asText = withToolCalls({ function: { name: "n", arguments: '{"id": 1, "id": 2}' } });
  const { reply } = await exchange({}, {}, jsonAnswer(asText));
  assertEquals(reply.toolCalls?.[0]?.argumentsError, "duplicate_key");
  assertEquals(reply.toolCalls?.[0]?.rawArguments, '{"id": 1, "id": 2}');
});

Deno.test("chatCompletionsModel() makes up ids that no call of the reply has", async () => {
  const call = (id: string) => ({ id, function: { name: "n", arguments: "{}" } });
  const answer = jsonAnswer(
    withToolCalls(call(""), call("made_up_0"), call("x"), call("x"), call("")),
  );
  const { reply } = await exchange({}, {}, answer);
  assertEquals(reply.toolCalls?.map(({ id }) => id), [
    "made_up_1",
    "made_up_0",
    "x",
    "made_up_2",
    "made_up_3",
  ]);
});

Deno.test("chatCompletionsModel() starts a streamed call where the last one is whole and a new name comes without id", async () => {
  const pieces: JsonValue[] = [
    { index: 0, function: { name: "a", arguments: '{"x":' } },
    { index: 0, function: { name: "a", arguments: "1}" } },
    { index: 0, function: { name: "b", arguments: "{}" } },
    { function: { name: "c", arguments: "" } },
    { id: "1", function: { name: "d", arguments: "{" } },
    { id: "2", function: { name: "e", arguments: "{}" } },
    { id: "1", function: { arguments: "}" } },
    { index: 7, function: { name: "f", arguments: " " } },
    { index: 7, id: "3", function: { arguments: "\n" } },
  ];
  const events = pieces.map((piece) =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [piece] } }] })}\n\n`
  );
  const answer = streamAnswer(`${events.join("")}data: [DONE]\n\n`);
  const { reply } = await exchange({}, { stream: true }, answer);
  assertEquals(reply.toolCalls?.map(({ name, rawArguments }) => [name, rawArguments]), [
    ["a", '{"x":1}'],
    ["b", "{}"],
    ["d", "{}"],
    ["e", "{}"],
    ["f", " \n"],
  ]);
  assertEquals(reply.toolCalls?.at(-1)?.id, "3", "an id may come later");
  assertEquals(reply.toolCalls?.at(-1)?.arguments, {}, "blank arguments are none");
});

Deno.test("chatCompletionsModel() reports no usage that is no number of tokens", async () => {
  const usage = { prompt_tokens: -1, completion_tokens: "4", prompt_tokens_details: [] };
  assertEquals((await exchange({}, {}, jsonAnswer({ ...OK, usage }))).reply.usage, undefined);
  const pieces = onePiece(
    JSON.stringify({ ...OK, usage: { prompt_tokens: "Z", completion_tokens: 1.5 } })
      .replace('"Z"', "-0"),
  );
  const { reply } = await exchange({}, {}, { ...jsonAnswer(null), pieces });
  assertEquals(Object.entries(reply.usage ?? {}), [["inputTokens", 0]]);
  assert(Object.is(reply.usage?.inputTokens, 0), "-0 is no JSON that a log can carry");
});

Deno.test("chatCompletionsModel() reads choice 0 alone of several", async () => {
  const event = (index: number, content: string) =>
    `data: ${
      JSON.stringify({ choices: [{ index, delta: { content }, finish_reason: null }] })
    }\n\n`;
  const answer = streamAnswer(`${event(1, "no")}${event(0, "yes")}data: [DONE]\n\n`);
  const { reply } = await exchange({}, { stream: true }, answer);
  assertEquals(reply.text, "yes");
});

Deno.test("chatCompletionsModel() records a finish reason of another shape, and lets the reply decide", async () => {
  for (const reason of [{ reason: "tool_calls" }, 3, ["stop"]]) {
    const body = { choices: [{ message: { content: "Hello!" }, finish_reason: reason }] };
    const { reply } = await exchange({}, {}, jsonAnswer(body));
    assertEquals([reply.text, reply.finishReason], ["Hello!", "unknown"]);
    assertEquals(reply.rawFinishReason, JSON.stringify(reason));
    assertEquals(reply.toolCalls, undefined);
  }
});

Deno.test("chatCompletionsModel() takes a stream that its server did not name, if it asked for one", async () => {
  const text = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n';
  for (const headers of [{}, { "content-type": "text/plain; charset=utf-8" }]) {
    const answer = { ...streamAnswer(text), headers: { ...headers } };
    assertEquals((await exchange({}, { stream: true }, answer)).reply.text, "ok");
    await assertRejects(() => exchange({}, {}, answer), Error, "the answer is not JSON");
  }
  const unasked = await exchange({}, {}, streamAnswer(text));
  assertEquals(unasked.reply.text, "ok", "an event stream that says so is one");
});
