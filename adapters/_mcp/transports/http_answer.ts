import { present } from "../../../types/mod.ts";
import { type LineLimit, type SseEvent, sseEvents } from "../../_wire/sse.ts";
import { lost } from "../fault.ts";
import { messagesOf, type RpcAnswer, type RpcMessage } from "../json_rpc.ts";
import { MAX_MESSAGE_BYTES } from "../link.ts";

/** Where a stream stands that ended without the answer. */
export interface StreamMark {
  /** The id of the last event that had one, to ask for those after it. Absent: none had. */
  readonly lastEventId?: string;
  /** How long to wait before that, in milliseconds. Absent: it does not say. */
  readonly retryMs?: number;
}

/** What came of a response: the answer, or where its stream stands. */
export type HttpAnswer = { readonly answer: RpcAnswer } | { readonly mark: StreamMark };

/** How large all events of one stream may be, in bytes. */
export const MAX_STREAM_BYTES: number = 64 * 1024 * 1024;

/** How much of the answer to a refused request is read, in bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Reads the response to a request, as far as the answer.
 *
 * @param take Gets what else the stream brings.
 * @param mark Where the stream stood before, if it goes on here.
 * @throws {McpFault} If it is a refusal that says nothing of the request, or is nothing that can be read.
 */
export async function readAnswer(
  response: Response,
  id: number,
  take: (message: RpcMessage) => void,
  mark: StreamMark = {},
): Promise<HttpAnswer> {
  if (!response.ok) return { answer: await refusal(response, id) };
  const type = response.headers.get("content-type") ?? "";
  if (/^text\/event-stream\b/i.test(type)) return await readStream(response, id, take, mark);
  const text = await bodyText(response, MAX_MESSAGE_BYTES);
  const answer = onlyAnswer(text, id);
  if (answer === undefined) throw lost(`the answer is none to the request: ${quoted(text)}`);
  return { answer };
}

/**
 * Reads a stream that answers nothing, to its end.
 *
 * @param take Gets what it brings.
 */
export async function readMessages(
  response: Response,
  take: (message: RpcMessage) => void,
  mark: StreamMark,
): Promise<StreamMark> {
  const end = await readStream(response, undefined, take, mark);
  return "mark" in end ? end.mark : {};
}

async function readStream(
  response: Response,
  id: number | undefined,
  take: (message: RpcMessage) => void,
  before: StreamMark,
): Promise<HttpAnswer> {
  let mark = before;
  for await (const event of sseEvents(streamPieces(response), LINE_LIMIT)) {
    if (!event.unterminated) mark = markAfter(mark, event);
    const messages = messagesOf(event.data);
    const answer = id === undefined ? undefined : answerIn(messages, id);
    if (answer !== undefined) return { answer };
    messages.forEach(take);
  }
  return { mark };
}

const LINE_LIMIT: LineLimit = {
  maxLength: MAX_MESSAGE_BYTES,
  tooLong: () => lost(`a line of the stream is longer than ${MAX_MESSAGE_BYTES} characters`),
};

/** An empty id takes back the one before. */
function markAfter(mark: StreamMark, { id, retryMs }: SseEvent): StreamMark {
  return present({
    lastEventId: (id ?? mark.lastEventId) || undefined,
    retryMs: retryMs ?? mark.retryMs,
  });
}

function answerIn(messages: readonly RpcMessage[], id: number | null): RpcAnswer | undefined {
  const found = messages.find((message) => message.kind === "answer" && message.id === id);
  return found?.kind === "answer" ? found.answer : undefined;
}

/** The answer in a body, which answers one request alone: an error may come without its id. */
function onlyAnswer(text: string, id: number): RpcAnswer | undefined {
  const messages = messagesOf(text);
  const nameless = answerIn(messages, null);
  return answerIn(messages, id) ?? (nameless && "error" in nameless ? nameless : undefined);
}

/** What a refusal says of the request, if it is in the protocol's form; else it is a fault. */
async function refusal(response: Response, id: number): Promise<RpcAnswer> {
  const text = await bodyText(response, MAX_REFUSAL_BYTES);
  const answer = onlyAnswer(text, id);
  if (answer !== undefined) return answer;
  const { status, headers } = response;
  const asks = headers.get("www-authenticate");
  const details = [
    ...(status >= 300 && status < 400 ? [redirection(response)] : []),
    ...(asks === null ? [] : [`it asks for ${quoted(asks)}`]),
    ...(text.trim() === "" ? [] : [quoted(text)]),
  ];
  throw lost(`the server answered ${[`HTTP ${status}`, ...details].join(", ")}`);
}

function redirection({ headers }: Response): string {
  const location = headers.get("location") ?? "";
  const target = URL.canParse(location) ? new URL(location).origin : "another place";
  return `to send the request on to ${target}, where no header of yours goes`;
}

/** The text of a stream, as it comes. Where the connection breaks it ends. */
async function* streamPieces(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let size = 0;
  for await (const bytes of unbroken(response)) {
    size += bytes.length;
    if (size > MAX_STREAM_BYTES) {
      throw lost(`the stream is larger than ${MAX_STREAM_BYTES} bytes`);
    }
    yield decoder.decode(bytes, { stream: true });
  }
}

async function* unbroken(response: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body ?? [];
  } catch {
    // What came before it broke was given.
  }
}

/** The text of a body, whole. */
async function bodyText(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const bytes of response.body ?? []) {
      size += bytes.length;
      if (size > limit) break;
      text += decoder.decode(bytes, { stream: true });
    }
  } catch {
    throw lost("the connection broke in mid-answer");
  }
  if (size > limit) {
    throw lost(`the answer (HTTP ${response.status}) is larger than ${limit} bytes`);
  }
  return text + decoder.decode();
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
