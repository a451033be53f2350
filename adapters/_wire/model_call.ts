import type { ModelCall } from "../../ports/mod.ts";
import { type JsonValue, ModelCallError, type ModelReply, present } from "../../types/mod.ts";
import { CallLimits, type CallTimes } from "./call_limits.ts";
import { failureText } from "./failure_text.ts";
import type { ModelEndpoint, ModelExchange } from "./model_endpoint.ts";
import { answerText, readAnswer, type ReplyReader } from "./read_answer.ts";
import { saidError, type ServerError, serverFailure } from "./server_error.ts";
import { parsedJson } from "./unknown_json.ts";

/** How much of the answer to a refused request is read, in bytes. */
export const MAX_ERROR_BYTES: number = 64 * 1024;

/** One request. */
export interface ModelRequest {
  /** The model, for messages. */
  readonly model: string;
  /** Whether it asks for a stream. */
  readonly stream: boolean;
  /** How long it may take. */
  readonly times: CallTimes;
  /** Gives its body, and what reads the answer; may throw a {@link ModelCallError}. */
  prepare(): { readonly body: JsonValue; readonly reader: FinishedReader };
}

/** Reads an answer, and gives the reply that it is. */
export interface FinishedReader extends ReplyReader {
  /** The reply, after the last piece; may throw a {@link ModelCallError}. */
  reply(): ModelReply;
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
  let reader: FinishedReader | undefined;
  let status: number | undefined;
  let labelled = false;
  const limits = new CallLimits(signal, request.times, () => reader?.text());
  try {
    const given = exchange = endpoint.exchange(call, () => limits.heard());
    const prepared = request.prepare();
    reader = prepared.reader;
    const response = await given.post(prepared.body, limits.signal);
    status = response.status;
    const failed = (error: ServerError) =>
      serverFailed(given, response, { ...error, model: request.model });
    if (!response.ok) {
      refused = await refusal(given, response, failed);
      throw refused;
    }
    labelled = isEventStream(response, request.stream);
    await readAnswer({ exchange: given, reader, failed }, response, labelled);
    return given.withoutSecretsIn(reader.reply());
  } catch (error) {
    signal.throwIfAborted();
    const failure = refused ?? limits.reached ?? error;
    if (!(failure instanceof ModelCallError)) throw error;
    const shown = (text: string) => exchange?.withoutSecrets(text) ?? text;
    const partialText = reader?.text() ?? (labelled ? "" : undefined);
    throw new ModelCallError(
      `Cannot call model "${request.model}" as ${shown(failure.message)}`,
      present({
        kind: failure.kind,
        retriable: failure.retriable,
        status,
        retryAfterMs: failure.retryAfterMs,
        partialText: partialText === undefined ? undefined : shown(partialText),
      }),
    );
  } finally {
    limits.end();
    exchange?.close();
  }
}

/** Whether an answer is called an event stream; one that was asked for may come under no name. */
function isEventStream(response: Response, asked: boolean): boolean {
  const type = response.headers.get("content-type") ?? "";
  return /^text\/event-stream\b/i.test(type) || (asked && /^(text\/plain\b|$)/i.test(type));
}

/** The failure of a request that the server refused. However its answer ends, the status has been given. */
async function refusal(
  exchange: ModelExchange,
  response: Response,
  failed: (error: ServerError) => ModelCallError,
): Promise<ModelCallError> {
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
    for await (const piece of answerText(exchange, response, MAX_ERROR_BYTES)) text += piece;
  } catch {
    // What arrived has to do.
  }
  return failed(saidError(parsedJson(text), text));
}

function serverFailed(
  exchange: ModelExchange,
  response: Response,
  error: ServerError & { readonly model: string },
): ModelCallError {
  const details = serverFailure(error, response, Date.now());
  const { message, model } = error;
  const { status } = response;
  const quoted = exchange.quote(message);
  const { address } = exchange;
  return new ModelCallError(
    failureText({ status, kind: details.kind, message, quoted, address, model }),
    details,
  );
}
