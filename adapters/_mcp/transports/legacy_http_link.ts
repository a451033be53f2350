import { type JsonObject, present } from "../../../types/mod.ts";
import { LONGEST_TIMER_MS } from "../../_check_whole.ts";
import { withinTime } from "../../_process/within_time.ts";
import { lost } from "../fault.ts";
import { type HttpAnswer, readAnswer, readMessages, type StreamMark } from "./http_answer.ts";
import type { HttpChannel } from "./http_channel.ts";
import {
  answerText,
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
  INITIALIZED,
  MAX_OPEN_REQUESTS,
  type McpLink,
} from "../link.ts";
import { POST_HEADERS } from "./modern_http_link.ts";

/** What the server made known in the handshake. */
interface Session {
  /** Absent: it keeps none. */
  readonly id?: string;
  /** The revision that was agreed on. Absent: none is yet. */
  readonly version?: string;
}

/** How long to wait before a stream is asked for again, in milliseconds, where the server does not say. */
const RETRY_MS = 1_000;

/** How long to wait at least: a server that ends each stream at once is not to be asked without a pause. */
const MIN_RETRY_MS = 100;

/** How long the handshake may take that replaces a lost session, in milliseconds. */
const REOPEN_MS = 30_000;

/** How long a farewell may take, in milliseconds. */
const FAREWELL_MS = 2_000;

/**
 * A link as revisions 2025-03-26 to 2025-11-25 use HTTP. A session that the handshake opened goes with every request. A
 * stream that ends before its answer is resumed from its last event, if that has an id. A session that the server does
 * not know any more (404) is replaced, once for a request: it was refused, so nothing ran.
 */
export class LegacyHttpLink implements McpLink {
  readonly #channel: HttpChannel;
  readonly #listens: boolean;
  /** What goes on beside the requests. */
  readonly #background = new Set<Promise<unknown>>();
  #session: Session = {};
  #handshake: RpcRequest | undefined;
  #reopening: Promise<void> | undefined;
  #answer: AnswerRequest | undefined;
  #openRequests = 0;
  #closed: Promise<void> | undefined;

  /** @param listens Whether the stream is opened on which a server asks what belongs to no request. */
  constructor(channel: HttpChannel, listens: boolean) {
    this.#channel = channel;
    this.#listens = listens;
  }

  async exchange(request: RpcRequest, { headers, signal }: ExchangeOptions): Promise<RpcAnswer> {
    if (request.method === "initialize") return await this.#open(request, signal);
    try {
      const post = () => this.#post(requestText(request), signal, headers);
      const session = this.#session;
      const response = await post();
      const isGone = response.status === 404 && session.id !== undefined;
      if (!isGone) return await this.#answerTo(request, response, signal);
      await response.body?.cancel();
      await this.#replace(session);
      return await this.#answerTo(request, await post(), signal);
    } catch (error) {
      if (signal.aborted) this.#tell(notificationText(CANCELLED, { requestId: request.id }));
      signal.throwIfAborted();
      throw error;
    }
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    const response = await this.#post(notificationText(method, params), this.#channel.closing);
    await response.body?.cancel();
    if (method === INITIALIZED && this.#listens) this.#runBeside(this.#listen(this.#session));
  }

  serve(answer: AnswerRequest): void {
    this.#answer = answer;
  }

  /** Lets the session go, closes the channel, and waits for what goes on beside. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    const session = this.#session;
    this.#session = {};
    if (session.id !== undefined) await this.#takeLeave(session);
    this.#channel.close();
    await Promise.all(this.#background);
  }

  async #open(request: RpcRequest, signal: AbortSignal): Promise<RpcAnswer> {
    this.#session = {};
    const response = await this.#post(requestText(request), signal);
    const id = response.headers.get("mcp-session-id") ?? undefined;
    const answer = await this.#answerTo(request, response, signal);
    const version = "result" in answer ? answer.result.protocolVersion : undefined;
    this.#handshake = request;
    this.#session = present({ id, version: typeof version === "string" ? version : undefined });
    return answer;
  }

  /** Opens a session in the place of one that is gone; requests that find it gone together share that. */
  async #replace(gone: Session): Promise<void> {
    if (this.#session !== gone) return;
    this.#reopening ??= this.#reopen(gone).finally(() => this.#reopening = undefined);
    await this.#reopening;
  }

  async #reopen({ version }: Session): Promise<void> {
    const handshake = this.#handshake;
    if (handshake === undefined) return;
    const controller = new AbortController();
    const work = this.#open(handshake, controller.signal);
    const end = await withinTime(work, REOPEN_MS, this.#channel.closing);
    if (typeof end === "string") {
      controller.abort();
      await work.catch(() => {});
      throw lost("the session is gone, and no new one was opened in time");
    }
    if ("error" in end || this.#session.version !== version) {
      throw lost("the session is gone, and the server opens no new one as it was");
    }
    await this.notify(INITIALIZED);
  }

  async #answerTo(request: RpcRequest, first: Response, signal: AbortSignal): Promise<RpcAnswer> {
    const take = (message: RpcMessage) => this.#take(message);
    let read: HttpAnswer = await readAnswer(first, request.id, take);
    while ("mark" in read) {
      signal.throwIfAborted();
      const { mark } = read;
      if (mark.lastEventId === undefined) throw lost("the stream ended before the answer came");
      await this.#pause(mark, signal);
      const response = await this.#openStream(mark, signal);
      read = await readAnswer(response, request.id, take, mark);
    }
    return read.answer;
  }

  /** Hears what the server asks that belongs to no request, as long as it offers that and the session lasts. */
  async #listen(session: Session): Promise<void> {
    const { closing } = this.#channel;
    let mark: StreamMark = {};
    while (this.#session === session) {
      const response = await this.#openStream(mark, closing);
      if (response.status !== 200) return await response.body?.cancel(); // 405: it does not offer it
      mark = await readMessages(response, (message) => this.#take(message), mark);
      await this.#pause(mark, closing);
    }
  }

  #take(message: RpcMessage): void {
    const answer = this.#answer;
    if (message.kind !== "request" || answer === undefined) return;
    if (this.#openRequests >= MAX_OPEN_REQUESTS) return;
    this.#openRequests += 1;
    // Nobody waits for it when the link is closed: a person may have to answer.
    answer(message.method, message.params).then((given) => {
      this.#openRequests -= 1;
      this.#tell(answerText(message.id, given));
    });
  }

  async #pause({ retryMs = RETRY_MS }: StreamMark, signal: AbortSignal): Promise<void> {
    const forever = new Promise<never>(() => {});
    const ms = Math.min(Math.max(retryMs, MIN_RETRY_MS), LONGEST_TIMER_MS);
    await withinTime(forever, ms, signal);
    signal.throwIfAborted();
  }

  async #openStream(mark: StreamMark, signal: AbortSignal): Promise<Response> {
    return await this.#channel.send({
      method: "GET",
      headers: {
        ...sessionHeaders(this.#session),
        accept: "text/event-stream",
        ...present({ "last-event-id": mark.lastEventId }),
      },
      signal,
    });
  }

  async #post(
    body: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return await this.#channel.send({
      method: "POST",
      headers: { ...headers, ...sessionHeaders(this.#session), ...POST_HEADERS },
      body,
      signal,
    });
  }

  /** Sends what nobody waits for. */
  #tell(body: string): void {
    this.#runBeside(
      this.#post(body, this.#channel.closing).then((response) => response.body?.cancel()),
    );
  }

  /** What goes wrong with it is met again by the next request. */
  #runBeside(work: Promise<unknown>): void {
    const settled = work.catch(() => {}).finally(() => this.#background.delete(settled));
    this.#background.add(settled);
  }

  async #takeLeave(session: Session): Promise<void> {
    const controller = new AbortController();
    const headers = sessionHeaders(session);
    const leave = this.#channel.send({ method: "DELETE", headers, signal: controller.signal })
      .then((response) => response.body?.cancel()).catch(() => {});
    await withinTime(leave, FAREWELL_MS, this.#channel.closing);
    controller.abort();
    await leave;
  }
}

function sessionHeaders({ id, version }: Session): Readonly<Record<string, string>> {
  return present({ "mcp-session-id": id, "mcp-protocol-version": version });
}
