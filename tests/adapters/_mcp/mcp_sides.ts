/**
 * The server's side of the protocol, for tests: what it answers is data, or a function of what it is asked.
 *
 * @module
 */
import type { JsonObject } from "../../../types/mod.ts";

/** A request as it arrives at a server. */
export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** What a server says of a tool. */
export const ECHO: JsonObject = {
  name: "echo",
  description: "Says it again",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  },
};

/** What a server of the modern era answers; an error, where it has `code`. */
export function modernAnswer({ method, params }: Asked): JsonObject {
  if (method === "server/discover") {
    return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
  }
  if (method === "tools/list") return { tools: [ECHO] };
  if (method === "tools/call") return textResult(String(Object(params.arguments).text));
  return { code: -32601, message: `there is no ${method}` };
}

/** What a server of the legacy era answers. */
export function legacyAnswer(asked: Asked): JsonObject {
  if (asked.method === "server/discover") return { code: -32602, message: "not initialized" };
  if (asked.method !== "initialize") return modernAnswer(asked);
  return {
    protocolVersion: asked.params.protocolVersion ?? null,
    capabilities: { tools: {} },
    serverInfo: { name: "legacy", version: "1" },
    instructions: "Be kind.",
  };
}

/** A result with one text. */
export function textResult(text: string): JsonObject {
  return { content: [{ type: "text", text }] };
}

/** An answer as a message. */
export function messageOf(id: number, answer: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, ..."code" in answer ? { error: answer } : { result: answer } };
}

/** A call of a tool, as an executor makes it. */
export function callOf(signal: AbortSignal = new AbortController().signal): {
  readonly actionId: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
} {
  return { actionId: "r/s0_a0", attempt: 1, signal };
}
