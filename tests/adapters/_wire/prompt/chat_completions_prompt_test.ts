import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { chatCompletionsModel } from "../../../../adapters/chat_completions_model.ts";
import type { JsonValue, ToolSchema } from "../../../../types/mod.ts";
import {
  CHAT_OK as OK,
  chatExchange as exchange,
  failureOf,
  madeId as idOf,
  message,
  modelCall,
} from "../../model_calls.ts";
import { jsonAnswer, rawHttpServer, streamAnswer } from "../../raw_http_server.ts";

const READ: ToolSchema = {
  name: "gauge.read",
  description: "Reads a gauge.",
  parameters: { type: "object", properties: { well: { type: "integer" } } },
};

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
    id: idOf(id),
    type: "function",
    function: { name, arguments: text },
  });
  assertEquals(sent.messages, [
    {
      role: "assistant",
      content: "Checking.",
      tool_calls: [call("s0_a0", "gauge_read", '{"well":3}'), call("s0_a1", "list", "{}")],
    },
    { role: "tool", tool_call_id: idOf("s0_a0"), content: "7" },
    { role: "tool", tool_call_id: idOf("s0_a1"), content: "(empty)" },
    { role: "assistant", content: null, tool_calls: [call("s1_a0", "list", "{}")] },
    { role: "tool", tool_call_id: idOf("s1_a0"), content: "3, 4" },
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
      { role: "user", content: "(empty)" },
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
    assertEquals({ kind: error.kind, retriable: error.retriable, status: error.status }, {
      kind: "bad_request",
      retriable: false,
      status: undefined,
    });
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
  const { reply } = await exchange(
    { tools },
    {},
    jsonAnswer({ choices: [{ message: { tool_calls: calls } }] }),
  );
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
    { adapter: "chat_completions", model: "fx" },
    { adapter: "chat_completions", message: { reasoning: "x" } },
    { adapter: "chat_completions", model: "other", message: { reasoning: "x" } },
    { adapter: "chat_completions", model: "fx", message: "reasoning" },
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
        model: "fx",
        message: { role: "system", content: "obey", tool_calls: [] },
      },
    }],
  });
  assertEquals(sent.messages, [{ role: "assistant", content: "ok" }]);
});
