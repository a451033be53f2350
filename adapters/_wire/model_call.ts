import type { ModelCall } from "../../ports/mod.ts";
import { type JsonValue, ModelCallError, type ModelReply, present } from "../../types/mod.ts";
import { CallLimits, type CallTimes } from "./call_limits.ts";
import { type JsonSource, jsonSource } from "./json_source.ts";
import type { ModelEndpoint, ModelExchange } from "./model_endpoint.ts";
import { type ServerError, serverErrorIn, serverFailure } from "./server_error.ts";
import { sseEvents } from "./sse.ts";
import { parsedJson } from "./unknown_json.ts";

/** How large an answer may be, in bytes. */
export const MAX_ANSWER_BYTES: number = 64 * 1024 * 1024;

/** How long one line of an event stream may be, in UTF-16 units. */
export const MAX_LINE_LENGTH: number = 8 * 1024 * 1024;

const LINE_LIMIT = {
  maxLength: MAX_LINE_LENGTH,
  tooLong: () =>
    malformed(`a line of the stream is longer than ${MAX_LINE_LENGTH} characters`, false),
};

/** How much of the answer to a refused request is read, in bytes. */
export const MAX_ERROR_BYTES: number = 64 * 1024;

/** Reads one answer in a provider's form. Shapes that it does not know are skipped, not errors. */
export interface ReplyReader {
  /** The text so far. Absent: nothing of a reply has arrived. */
  text(): string | undefined;
  /** Takes a whole answer; false: it is no reply. */
  takeBody(body: JsonValue, source: JsonSource): boolean;
  /** Takes one event of a stream; true: it says that the stream is over. */
  takeEvent(event: JsonValue, source: JsonSource): boolean;
  /** Whether a stream may end here; `done`: it said so with `[DONE]`. */
  isComplete(done: boolean): boolean;
  /** The reply, after the last piece. */
  reply(): ModelReply;
}

/** One request. */
export interface ModelRequest {
  /** The model, for messages. */
  readonly model: string;
  /** Whether it asks for a stream. */
  readonly stream: boolean;
  /** How long it may take. */
  readonly times: CallTimes;
  /** Gives its body, and what reads the answer; may throw a {@link ModelCallError}. */
  prepare(): { readonly body: JsonValue; readonly reader: ReplyReader };
}

/**
 * Makes one call: one request, and its answer read to the end.
 *
 * @throws {ModelCallError} If the call failed in any way that has to do with the server or the request.
 * @throws The signal's reason, after an abort.
 */
export async function callModel(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  call: Omit<ModelCall, "messages">,
): Promise<ModelReply> {
  const { signal } = call;
  signal.throwIfAborted();
  let exchange: ModelExchange | undefined;
  let refused: ModelCallError | undefined;
  let reader: ReplyReader | undefined;
  let status: number | undefined;
  let streamed = false;
  const limits = new CallLimits(signal, request.times, () => reader?.text());
  try {
    exchange = endpoint.exchange(call, () => limits.heard());
    const prepared = request.prepare();
    reader = prepared.reader;
    const response = await exchange.post(prepared.body, limits.signal);
    status = response.status;
    if (!response.ok) {
      refused = await refusal(exchange, response);
      throw refused;
    }
    streamed = isEventStream(response, request.stream);
    await (streamed ? readStream : readBody)(exchange, response, reader);
    return reader.reply();
  } catch (error) {
    signal.throwIfAborted();
    const failure = refused ?? limits.reached ?? error;
    if (!(failure instanceof ModelCallError)) throw error;
    const partialText = reader?.text() ?? (streamed ? "" : undefined);
    throw new ModelCallError(
      `Cannot call model "${request.model}" as ${failure.message}`,
      present({
        kind: failure.kind,
        retriable: failure.retriable,
        status,
        retryAfterMs: failure.retryAfterMs,
        partialText: partialText === undefined ? undefined : exchange?.withoutSecrets(partialText),
      }),
    );
  } finally {
    limits.end();
    exchange?.close();
  }
}

/** What came back is told by its type; a stream that was asked for may come without one. */
function isEventStream(response: Response, asked: boolean): boolean {
  const type = response.headers.get("content-type") ?? "";
  return /^text\/event-stream\b/i.test(type) || (asked && /^(text\/plain\b|$)/i.test(type));
}

async function readStream(
  exchange: ModelExchange,
  response: Response,
  reader: ReplyReader,
): Promise<void> {
  let done = false;
  const pieces = textOf(exchange, response, MAX_ANSWER_BYTES);
  for await (const { data, unterminated } of sseEvents(pieces, LINE_LIMIT)) {
    if (data === "") continue;
    done = data.trim() === "[DONE]";
    if (done) break;
    const event = parsedJson(data);
    if (event === undefined) {
      if (unterminated) break;
      throw malformed(`an event of the stream is not JSON: ${exchange.quote(data)}`);
    }
    const isLast = reader.takeEvent(event, jsonSource(data));
    throwServerError(exchange, response, event, data);
    if (isLast) break;
  }
  if (!reader.isComplete(done)) throw truncated("the stream ended before the reply did");
}

async function readBody(
  exchange: ModelExchange,
  response: Response,
  reader: ReplyReader,
): Promise<void> {
  let text = "";
  for await (const piece of textOf(exchange, response, MAX_ANSWER_BYTES)) text += piece;
  const body = parsedJson(text);
  if (body === undefined) throw malformed(`the answer is not JSON: ${exchange.quote(text)}`);
  const isReply = reader.takeBody(body, jsonSource(text));
  throwServerError(exchange, response, body, text);
  if (!isReply) throw malformed(`the answer holds no reply: ${exchange.quote(text)}`);
}

/** The failure of a request that the server refused. However its answer ends, the status has been given. */
async function refusal(exchange: ModelExchange, response: Response): Promise<ModelCallError> {
  const target = exchange.redirectTarget(response);
  if (target !== undefined) {
    await response.body?.cancel();
    return new ModelCallError(
      `the server answered ${response.status}: it sends the request on to ${target}, where neither request nor key goes (set baseUrl to the address that answers)`,
      { kind: "bad_request", retriable: false },
    );
  }
  let text = "";
  try {
    for await (const piece of textOf(exchange, response, MAX_ERROR_BYTES)) text += piece;
  } catch {
    // What arrived has to do.
  }
  const error = serverErrorIn(parsedJson(text), text) ?? { message: text, names: [], fields: {} };
  return serverFailed(exchange, response, error);
}

function throwServerError(
  exchange: ModelExchange,
  response: Response,
  answer: JsonValue,
  text: string,
): void {
  const error = serverErrorIn(answer, text);
  if (error !== undefined) throw serverFailed(exchange, response, error);
}

function serverFailed(
  exchange: ModelExchange,
  response: Response,
  error: ServerError,
): ModelCallError {
  const details = serverFailure(error, response, Date.now());
  const said = error.message === "" ? "nothing more" : exchange.quote(error.message);
  return new ModelCallError(
    `the server answered ${response.status} (${details.kind}): ${said}`,
    details,
  );
}

/** The text of an answer, through one decoder. */
async function* textOf(
  exchange: ModelExchange,
  response: Response,
  limit: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let size = 0;
  try {
    for await (const bytes of response.body ?? []) {
      exchange.heard();
      size += bytes.length;
      if (size > limit) throw malformed(`the answer is larger than ${limit} bytes`, false);
      yield decoder.decode(bytes, { stream: true });
    }
  } catch (error) {
    throw error instanceof ModelCallError ? error : truncated("the connection broke");
  }
  yield decoder.decode();
}

function truncated(message: string): ModelCallError {
  return new ModelCallError(message, { kind: "stream_truncated", retriable: true });
}

function malformed(message: string, retriable = true): ModelCallError {
  return new ModelCallError(message, { kind: "malformed_response", retriable });
}
