/**
 * Calls and messages for the tests of model adapters.
 *
 * @module
 */
import { assertEquals, assertInstanceOf } from "@std/assert";
import {
  anthropicMessagesModel,
  type AnthropicMessagesModelOptions,
} from "../../adapters/anthropic_messages_model.ts";
import {
  chatCompletionsModel,
  type ChatCompletionsModelOptions,
} from "../../adapters/chat_completions_model.ts";
import type { ModelCall, ModelPort } from "../../ports/mod.ts";
import {
  type ContentBlock,
  digest,
  type JsonValue,
  type Message,
  ModelCallError,
  type ModelReply,
  type Role,
} from "../../types/mod.ts";
import { jsonAnswer, type RawAnswer, rawHttpServer } from "./raw_http_server.ts";

/** A call with what matters to a test. */
export function modelCall(parts: Partial<ModelCall> = {}): ModelCall {
  return {
    callId: "r1/s0",
    attempt: 1,
    messages: [message("user", "How many wells?")],
    binding: {},
    signal: new AbortController().signal,
    draining: new AbortController().signal,
    ...parts,
  };
}

/** A message of texts and other blocks. */
export function message(role: Role, ...blocks: readonly (string | ContentBlock)[]): Message {
  return {
    role,
    content: blocks.map((block) =>
      typeof block === "string" ? { type: "text", text: block } : block
    ),
  };
}

/** The id on the wire of a call whose provider gave none. */
export function madeId(historyId: string): string {
  return digest(historyId).slice(-9);
}

/** What a call failed with. */
export async function failureOf(
  model: ModelPort,
  parts: Partial<ModelCall> = {},
): Promise<ModelCallError> {
  try {
    await model.call(modelCall(parts));
  } catch (error) {
    assertInstanceOf(error, ModelCallError);
    return error;
  }
  throw new TypeError("the call did not fail");
}

/** What a server was sent, and what the model made of its answer. */
interface Exchange {
  readonly sent: Record<string, JsonValue>;
  readonly reply: ModelReply;
}

/** A short answer of a chat completions server. */
export const CHAT_OK: Readonly<Record<string, JsonValue>> = {
  choices: [{ message: { content: "ok" }, finish_reason: "stop" }],
};

/** A short answer of an Anthropic messages server. */
export const ANTHROPIC_OK: Readonly<Record<string, JsonValue>> = {
  type: "message",
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
};

/** Has a chat completions model send one call to a server of its own. */
export function chatExchange(
  call: Partial<ModelCall>,
  options: Partial<ChatCompletionsModelOptions> = {},
  answer: RawAnswer = jsonAnswer(CHAT_OK),
): Promise<Exchange> {
  const modelAt = (baseUrl: string) => chatCompletionsModel({ baseUrl, model: "fx", ...options });
  return exchange(modelAt, call, answer);
}

/** Has an Anthropic messages model send one call to a server of its own. */
export function anthropicExchange(
  call: Partial<ModelCall>,
  options: Partial<AnthropicMessagesModelOptions> = {},
  answer: RawAnswer = jsonAnswer(ANTHROPIC_OK),
): Promise<Exchange> {
  const modelAt = (baseUrl: string) =>
    anthropicMessagesModel({ baseUrl, model: "fx", maxTokens: 100, ...options });
  return exchange(modelAt, call, answer);
}

async function exchange(
  modelAt: (origin: string) => ModelPort,
  call: Partial<ModelCall>,
  answer: RawAnswer,
): Promise<Exchange> {
  await using server = rawHttpServer(answer);
  const reply = await modelAt(server.origin).call(modelCall(call));
  assertEquals(server.requests.length, 1);
  return { sent: JSON.parse(server.requests[0]!.body), reply };
}
