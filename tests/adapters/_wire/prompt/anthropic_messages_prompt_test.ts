import { assertEquals, assertStringIncludes } from "@std/assert";
import { anthropicMessagesModel } from "../../../../adapters/anthropic_messages_model.ts";
import type { JsonValue } from "../../../../types/mod.ts";
import {
  ANTHROPIC_OK as OK,
  anthropicExchange as exchange,
  failureOf,
  madeId as idOf,
  message,
} from "../../model_calls.ts";
import { jsonAnswer, rawHttpServer } from "../../raw_http_server.ts";

const THOUGHT = { type: "thinking", thinking: "Low first.", signature: "c2ln+/=", extra: 1 };
const REDACTED = { type: "redacted_thinking", data: "b3BhcXVl" };
const SECOND_THOUGHT = { type: "thinking", thinking: "", signature: "ZW1wdHk=" };

const text = (said: string) => ({ type: "text", text: said });
const call = (toolCallId: string, name: string, args: JsonValue = {}) =>
  ({ type: "tool_call", toolCallId, name, arguments: args }) as const;
const result = (toolCallId: string, said: string, isError = false) =>
  ({ type: "tool_result", toolCallId, text: said, isError }) as const;

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
        { type: "tool_use", id: idOf("s0_a0"), name: "gauge_read", input: { well: 3 } },
        { type: "tool_use", id: idOf("s0_a1"), name: "list", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: idOf("s0_a0"), content: [text("7")] },
        {
          type: "tool_result",
          tool_use_id: idOf("s0_a1"),
          content: [text("(empty)")],
          is_error: true,
        },
        text("while you wait\n\nand now?"),
      ],
    },
  ]);
  assertEquals(sent.tools, [
    { name: "gauge_read", description: "Reads.", input_schema: { type: "object", properties: {} } },
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
    messages: [{ role: "user", content: [text("a \n\nb")] }],
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
      providerData: { adapter: "anthropic_messages", model: "fx", content: [thinking] },
    },
    message("tool", result("a", "\ud83c")),
  ];
  const { sent } = await exchange({ messages });
  const [asked, answered, observed] = sent.messages as { content: JsonValue[] }[];
  assertEquals(asked!.content, [text("\ufffd")]);
  assertEquals(answered!.content, [
    thinking,
    text("\ufffd"),
    { type: "tool_use", id: idOf("a"), name: "n", input: { "\ufffd": "\ufffd" } },
  ]);
  assertEquals(observed!.content, [
    { type: "tool_result", tool_use_id: idOf("a"), content: [text("\ufffd")] },
  ]);
});

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
    { type: "tool_use", id: "t1", name: "a_b", input: {} },
    SECOND_THOUGHT,
    { type: "tool_use", id: "t2", name: "list", input: { n: 1 } },
  ]);
});

Deno.test("anthropicMessagesModel() hands reasoning back where history shows less or more than the reply", async () => {
  const providerData = {
    adapter: "anthropic_messages",
    model: "fx",
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
    { adapter: "anthropic_messages", model: "fx" },
    { adapter: "anthropic_messages", content: [THOUGHT] },
    { adapter: "anthropic_messages", model: "other", content: [THOUGHT] },
    { adapter: "anthropic_messages", model: "fx", content: "thinking" },
    { adapter: "anthropic_messages", model: "fx", content: [null, "thinking", []] },
    "anthropic_messages",
    null,
  ];
  for (const providerData of foreign) {
    const messages = [{ ...message("assistant", "a", call("i", "n"), "b"), providerData }];
    const { sent, reply } = await exchange({ messages });
    assertEquals((sent.messages as { content: JsonValue }[])[0]!.content, [
      text("a"),
      { type: "tool_use", id: idOf("i"), name: "n", input: {} },
      text("b"),
    ]);
    assertEquals(reply, { text: "ok", finishReason: "stop", rawFinishReason: "end_turn" });
  }
});
