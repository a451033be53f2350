import { type JsonValue, ModelCallError } from "../../types/mod.ts";
import { htmlPage } from "./failure_text.ts";
import { type JsonSource, jsonSource } from "./json_source.ts";
import type { ModelExchange } from "./model_endpoint.ts";
import { saidError, type ServerError, serverErrorIn } from "./server_error.ts";
import {
  beginsEventStream,
  hasEvents,
  isCutField,
  isErrorType,
  type SsePart,
  sseParts,
} from "./sse.ts";
import { parsedJson, type Unknown } from "./unknown_json.ts";

/** How large an answer may be, in bytes. */
export const MAX_ANSWER_BYTES: number = 64 * 1024 * 1024;

/** How long one line of an event stream may be, in UTF-16 units. */
export const MAX_LINE_LENGTH: number = 8 * 1024 * 1024;

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
}

/** How an answer is read. */
export interface AnswerReading {
  readonly exchange: ModelExchange;
  readonly reader: ReplyReader;
  /** Makes the failure of an error that the answer holds. */
  readonly failed: (error: ServerError) => ModelCallError;
}

/**
 * Reads an answer to its end: an event stream or one JSON text, as its first characters tell. What it is called, and
 * what was asked for, decides only where they tell nothing: proxies call streams anything, and send them unasked.
 *
 * @param labelled Whether it is called an event stream.
 * @throws {ModelCallError} If it holds an error, broke off, or is neither.
 */
export async function readAnswer(
  reading: AnswerReading,
  response: Response,
  labelled: boolean,
): Promise<void> {
  const pieces = answerText(reading.exchange, response, MAX_ANSWER_BYTES);
  try {
    const start = await firstText(pieces);
    const isStream = beginsEventStream(start) || (labelled && !/^[{["<]/.test(start));
    const whole = prefixed(start, pieces);
    await (isStream ? readEvents(reading, eventsIn(whole)) : readBody(reading, whole));
  } finally {
    await pieces.return(undefined); // whatever became of it, the answer is let go
  }
}

/** How many characters tell what an answer is: no name of a field is longer. */
const TELLING_CHARS = 8;

/** The beginning of an answer after white space, which means nothing at the start of either form. */
async function firstText(pieces: AsyncGenerator<string>): Promise<string> {
  let start = "";
  while (start.length < TELLING_CHARS) {
    const { done, value } = await pieces.next();
    if (done) break;
    start = (start + value).trimStart();
  }
  return start;
}

async function* prefixed(start: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}

async function readEvents(
  reading: AnswerReading,
  events: AsyncIterable<SsePart>,
): Promise<void> {
  const { exchange, reader } = reading;
  let done = false;
  let stray = "";
  for await (const part of events) {
    const { data } = part;
    if (part.kind === "stray") {
      stray = data;
      throwStrayError(reading, data);
      continue;
    }
    const isError = part.kind === "error" || isErrorType(part.type);
    if (data === "" && !isError) continue;
    done = part.kind === "event" && data.trim() === "[DONE]";
    if (done) break;
    const event = parsedJson(data);
    if (isError) {
      throw reading.failed(saidError(event, data));
    }
    if (event === undefined) {
      if (part.unterminated) break;
      throw malformed(`an event of the stream is not JSON: ${exchange.quote(data)}`);
    }
    const isLast = reader.takeEvent(event, jsonSource(data));
    throwError(reading, event, data);
    if (isLast) break;
  }
  if (reader.isComplete(done)) return;
  if (reader.text() !== undefined || isCutField(stray)) {
    const said = stray.trim() === "" ? "" : `, after ${exchange.quote(stray)}`;
    throw truncated(`the stream ended before the reply did${said}`);
  }
  throw malformed(`the answer is neither JSON nor an event stream: ${exchange.quote(stray)}`);
}

function eventsIn(text: AsyncIterable<string>): AsyncIterable<SsePart> {
  return sseParts(text, {
    maxLength: MAX_LINE_LENGTH,
    tooLong: () =>
      malformed(`a line of the stream is longer than ${MAX_LINE_LENGTH} characters`, false),
  });
}

/** An error that stands between events, or a page that does. Other lines that are no fields mean nothing. */
function throwStrayError(reading: AnswerReading, text: string): void {
  throwError(reading, parsedJson(text), text);
  const page = htmlPage(text);
  if (page !== undefined) throw malformed(`the stream holds ${pageAt(reading.exchange, page)}`);
}

async function readBody(reading: AnswerReading, pieces: AsyncIterable<string>): Promise<void> {
  const { exchange, reader } = reading;
  let text = "";
  for await (const piece of pieces) text += piece;
  const body = parsedJson(text);
  if (body === undefined) {
    if (hasEvents(text)) return await readEvents(reading, eventsIn(onePiece(text)));
    if (text.trim() === "") throw malformed("the answer is empty");
    const page = htmlPage(text);
    throw malformed(
      page === undefined
        ? `the answer is not JSON: ${exchange.quote(text)}`
        : `the answer is ${pageAt(exchange, page)}`,
    );
  }
  const isReply = reader.takeBody(body, jsonSource(text));
  throwError(reading, body, text);
  if (!isReply) throw malformed(`the answer holds no reply: ${exchange.quote(text)}`);
}

function pageAt(exchange: ModelExchange, page: string): string {
  return exchange.withoutSecrets(`${page} from POST ${exchange.address}`);
}

function throwError({ failed }: AnswerReading, answer: Unknown, text: string): void {
  const error = serverErrorIn(answer, text);
  if (error !== undefined) throw failed(error);
}

/**
 * The text of an answer, through one decoder.
 *
 * @param limit How many bytes it may have.
 * @throws {ModelCallError} If it has more, or the connection broke.
 */
export async function* answerText(
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

async function* onePiece(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

function truncated(message: string): ModelCallError {
  return new ModelCallError(message, { kind: "stream_truncated", retriable: true });
}

function malformed(message: string, retriable = true): ModelCallError {
  return new ModelCallError(message, { kind: "malformed_response", retriable });
}
