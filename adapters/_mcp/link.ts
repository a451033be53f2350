import type { JsonObject } from "../../types/mod.ts";
import type { RpcAnswer, RpcRequest } from "./json_rpc.ts";

/** Answers what a server asks of this client. */
export type AnswerRequest = (method: string, params: JsonObject) => Promise<RpcAnswer>;

/** What goes with a request. */
export interface ExchangeOptions {
  /** What HTTP says of it; other transports have no headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cancels it, as the transport does that. */
  readonly signal: AbortSignal;
}

/** A way to carry messages to a server and back: a transport, as one of the two eras uses it. */
export interface McpLink {
  /**
   * Sends a request, once, and gives what answers it. Further answers to it, and answers to nothing, are dropped.
   *
   * @throws {McpFault} If no answer comes.
   * @throws The signal's reason, after an abort.
   */
  exchange(request: RpcRequest, options: ExchangeOptions): Promise<RpcAnswer>;
  /**
   * Sends a notification.
   *
   * @throws {McpFault} If it cannot be sent.
   */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** From now on requests of the server are answered. Before, and without it, they are dropped. */
  serve(answer: AnswerRequest): void;
}

/** A transport, and how each era uses it. */
export interface McpTransport {
  readonly modern: McpLink;
  readonly legacy: McpLink;
  /** Whether requests have headers. */
  readonly hasHeaders: boolean;
  /** Ends it. Whatever waits gets a fault, and so does whatever is asked later. May be called again. */
  close(): Promise<void>;
}

/** How large one message of a server may be, in bytes. */
export const MAX_MESSAGE_BYTES: number = 8 * 1024 * 1024;

/** How many requests of a server may wait for an answer; more are dropped. */
export const MAX_OPEN_REQUESTS = 100;

/** The notification that cancels a request. */
export const CANCELLED = "notifications/cancelled";

/** The notification that ends the handshake. */
export const INITIALIZED = "notifications/initialized";
