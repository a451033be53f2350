/**
 * Calls and messages for the tests of model adapters.
 *
 * @module
 */
import { assertEquals, assertInstanceOf } from "@std/assert";
import type { ModelCall, ModelPort } from "../../ports/mod.ts";
import {
  type ContentBlock,
  type JsonValue,
  type Message,
  ModelCallError,
  type ModelReply,
  type Role,
} from "../../types/mod.ts";
import { type RawAnswer, rawHttpServer } from "./raw_http_server.ts";

/** A call with what matters to a test. */
export function modelCall(parts: Partial<ModelCall> = {}): ModelCall {
  return {
    callId: "r1/s0",
    attempt: 1,
    messages: [message("user", "How many wells?")],
    binding: {},
    signal: new AbortController().signal,
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

/** Sends one call to a server of its own; gives the request's body, and the reply. */
export async function exchange(
  modelAt: (origin: string) => ModelPort,
  call: Partial<ModelCall>,
  answer: RawAnswer,
): Promise<{ sent: Record<string, JsonValue>; reply: ModelReply }> {
  await using server = rawHttpServer(answer);
  const reply = await modelAt(server.origin).call(modelCall(call));
  assertEquals(server.requests.length, 1);
  return { sent: JSON.parse(server.requests[0]!.body), reply };
}
