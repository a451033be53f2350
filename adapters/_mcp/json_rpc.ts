import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  present,
} from "../../types/mod.ts";
import { type JsonSource, jsonSource } from "../_wire/json_source.ts";

/** A request to the server. Its id is used once in a connection. */
export interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** What the server says is wrong with a request. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** Absent: it says no more. */
  readonly data?: JsonValue;
}

/** What a request comes to, in either direction. */
export type RpcAnswer = RpcResult | { readonly error: RpcError };

/** What a request gives. */
export interface RpcResult {
  readonly result: JsonObject;
  /** The structured form of a tool's result, as the server wrote it. Absent: there is none. */
  readonly structured?: JsonSource;
}

/** What a server sends. */
export type RpcMessage =
  | {
    readonly kind: "answer";
    /** The request's id; `null` in an error about a request that could not be read. */
    readonly id: JsonValue;
    readonly answer: RpcAnswer;
  }
  | {
    readonly kind: "request";
    readonly id: string | number;
    readonly method: string;
    readonly params: JsonObject;
  }
  | { readonly kind: "notification"; readonly method: string };

/** The codes of JSON-RPC itself that are looked at. */
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A request as it is sent. */
export function requestText({ id, method, params }: RpcRequest): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** A notification as it is sent. */
export function notificationText(method: string, params?: JsonObject): string {
  return JSON.stringify(present({ jsonrpc: "2.0", method, params }));
}

/** An answer to a request of the server, as it is sent. */
export function answerText(id: string | number, answer: RpcAnswer): string {
  return JSON.stringify({ jsonrpc: "2.0", id, ...answer });
}

/**
 * The messages of a text: one, or those of a batch (revision 2025-03-26 has them). What is none is left out; so is all
 * of a text that is no JSON.
 */
export function messagesOf(text: string): readonly RpcMessage[] {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const source = jsonSource(text);
  if (isJsonArray(value)) {
    return value.flatMap((item, i) => messageOf(item, () => source.item(i)) ?? []);
  }
  const message = messageOf(value, () => source);
  return message === undefined ? [] : [message];
}

function messageOf(value: JsonValue, source: () => JsonSource): RpcMessage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, method, params = {} } = value;
  if (typeof method === "string") {
    if (id === undefined) return { kind: "notification", method };
    const isRequest = typeof id === "string" || typeof id === "number";
    return isRequest && isJsonObject(params) ? { kind: "request", id, method, params } : undefined;
  }
  const answer = answerOf(value, source);
  return answer && { kind: "answer", id: id ?? null, answer };
}

function answerOf(
  { result = null, error = null }: JsonObject,
  source: () => JsonSource,
): RpcAnswer | undefined {
  // Some servers write `null` for what is not there.
  if (isJsonObject(result) && error === null) {
    return result.structuredContent === undefined
      ? { result }
      : { result, structured: source().member("result").member("structuredContent") };
  }
  if (!isJsonObject(error) || result !== null) return undefined;
  const { code, message, data } = error;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return { error: present({ code, message, data }) };
}
