import { assertEquals } from "@std/assert";
import { anthropicMessagesModel } from "../../../../adapters/anthropic_messages_model.ts";
import type { ModelDelta } from "../../../../ports/mod.ts";
import type { JsonValue } from "../../../../types/mod.ts";
import { ANTHROPIC_OK as OK, anthropicExchange as exchange, failureOf } from "../../model_calls.ts";
import {
  jsonAnswer,
  onePiece,
  type RawAnswer,
  rawHttpServer,
  streamAnswer,
} from "../../raw_http_server.ts";

const THOUGHT = { type: "thinking", thinking: "Low first.", signature: "c2ln+/=", extra: 1 };
const REDACTED = { type: "redacted_thinking", data: "b3BhcXVl" };

function events(...parts: readonly JsonValue[]): RawAnswer {
  return streamAnswer(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(""));
}

const text = (said: string) => ({ type: "text", text: said });

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
      model: "fx",
      content: [
        { type: "thinking", thinking: "Low.", signature: "c2ln" },
        REDACTED,
        { type: "text" },
        { type: "server_tool_use", id: "x", name: "search", input: {} },
        { type: "tool_use", id: "t" },
      ],
    },
  });
});

Deno.test("anthropicMessagesModel() gives the whole as deltas without a stream", async () => {
  const deltas: ModelDelta[] = [];
  const content = [THOUGHT, text("a"), text("b")];
  const onDelta = (piece: ModelDelta) => void deltas.push(piece);
  await exchange({ onDelta }, {}, jsonAnswer({ ...OK, content }));
  assertEquals(deltas, [
    { kind: "reasoning", text: "Low first." },
    { kind: "text", text: "a" },
    { kind: "text", text: "b" },
  ]);
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
