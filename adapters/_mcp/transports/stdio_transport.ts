import type { JsonObject } from "../../../types/mod.ts";
import { CLOSED, lost, notSent } from "../fault.ts";
import {
  answerText,
  messagesOf,
  notificationText,
  requestText,
  type RpcAnswer,
  type RpcMessage,
  type RpcRequest,
} from "../json_rpc.ts";
import {
  type AnswerRequest,
  CANCELLED,
  type ExchangeOptions,
  MAX_OPEN_REQUESTS,
  type McpLink,
  type McpTransport,
} from "../link.ts";
import { messageLines } from "./message_lines.ts";
import { type ServerProcess, startServerProcess, type StdioCommand } from "./server_process.ts";

/**
 * A server that is a child of this process: a line of JSON is a message, and what is none is skipped. Both eras use it
 * alike.
 *
 * @throws {McpFault} If it cannot be started.
 */
export function stdioTransport(command: StdioCommand): McpTransport {
  const link = new StdioLink(startServerProcess(command));
  return { modern: link, legacy: link, hasHeaders: false, close: () => link.close() };
}

/** A request that waits. */
interface Waiting {
  resolve(answer: RpcAnswer): void;
  reject(reason: unknown): void;
}

class StdioLink implements McpLink {
  readonly #process: ServerProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #reading: Promise<void>;
  #answer: AnswerRequest | undefined;
  #openRequests = 0;
  /** Why nothing can be sent. Absent: it can. */
  #over: string | undefined;

  constructor(process: ServerProcess) {
    this.#process = process;
    this.#reading = this.#read();
  }

  async exchange(request: RpcRequest, { signal }: ExchangeOptions): Promise<RpcAnswer> {
    signal.throwIfAborted();
    if (this.#over !== undefined) throw notSent(this.#over);
    const { promise, resolve, reject } = Promise.withResolvers<RpcAnswer>();
    const onAbort = (): void => {
      const params = { requestId: request.id };
      // The one request that must not be cancelled.
      if (request.method !== "initialize") this.#send(notificationText(CANCELLED, params));
      reject(signal.reason);
    };
    this.#waiting.set(request.id, { resolve, reject });
    signal.addEventListener("abort", onAbort);
    this.#send(requestText(request));
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#waiting.delete(request.id);
    }
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#over !== undefined) return Promise.reject(notSent(this.#over));
    this.#send(notificationText(method, params));
    return Promise.resolve();
  }

  serve(answer: AnswerRequest): void {
    this.#answer = answer;
  }

  async close(): Promise<void> {
    this.#end(CLOSED);
    await this.#process.stop();
    await this.#reading;
  }

  /** Does not wait: a server that does not read gets no answer in time. */
  #send(line: string): Promise<void> {
    return this.#process.write(`${line}\n`);
  }

  async #read(): Promise<void> {
    let fault: string | undefined;
    try {
      for await (const line of messageLines(this.#process.output())) {
        for (const message of messagesOf(line)) this.#take(message);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      fault = error.message;
    }
    const end = await this.#process.end();
    this.#end(fault === undefined ? end : `the server was ended as ${fault}`);
  }

  #end(reason: string): void {
    this.#over ??= reason;
    for (const { reject } of this.#waiting.values()) reject(lost(this.#over));
    this.#waiting.clear();
  }

  #take(message: RpcMessage): void {
    if (message.kind === "answer" && typeof message.id === "number") {
      this.#waiting.get(message.id)?.resolve(message.answer);
    } else if (message.kind === "request" && this.#openRequests < MAX_OPEN_REQUESTS) {
      this.#openRequests += 1;
      this.#reply(message).finally(() => this.#openRequests -= 1);
    }
  }

  async #reply({ id, method, params }: RpcMessage & { readonly kind: "request" }): Promise<void> {
    const answer = await this.#answer?.(method, params);
    if (answer !== undefined) await this.#send(answerText(id, answer));
  }
}
