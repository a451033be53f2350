import type { ModelCall } from "../../ports/mod.ts";
import {
  canonicalJson,
  copyJson,
  InvalidRequestError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KnownFields,
  refuseUnknownFields,
} from "../../types/mod.ts";
import { checkWhole, LONGEST_TIMER_MS } from "../_check_whole.ts";
import type { CallTimes } from "./call_limits.ts";
import type { Echo } from "./prompt/echo.ts";
import { checkApiKey } from "./request_parts.ts";
import { finishMeaning } from "./reply/finish_reason.ts";

/** How a model adapter reaches a server, what it asks of it, and how it reads what comes back. */
export interface HttpModelOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** The key, sent as the interface has it. It appears in no parameter, error or log. Absent: none is sent. */
  readonly apiKey?: string;
  /**
   * More headers of every request. They go before the adapter's own, and their values are treated as secrets. A function
   * makes them for each call, from its id, its attempt and the request's `modelBinding`. Absent: none.
   */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((
      call: Pick<ModelCall, "callId" | "attempt" | "binding">,
    ) => Readonly<Record<string, string>>);
  /**
   * Whether to send an `Idempotency-Key`. `true` names the request: `<callId>#<attempt>`, and `.<n>` after it where a
   * `retryingModel` or `fallbackModel` makes several at one call. `"call"` names the call, `<callId>`, for a server
   * that is to give a replayed call the reply that it gave before.
   *
   * @default {false}
   */
  readonly idempotencyKey?: boolean | "call";
  /**
   * How long the whole call may take, in milliseconds; 0 is for ever. What takes longer is a failed call of kind
   * `timeout`, retriable.
   *
   * @default {600000}
   */
  readonly timeoutMs?: number;
  /**
   * How long the server may be silent, in milliseconds; 0 is for ever. Any byte is life, a comment of a stream, too.
   * What is silent for longer is a failed call of kind `timeout`, retriable.
   *
   * @default {stream ? 120000 : 0}
   */
  readonly idleTimeoutMs?: number;
  /**
   * Whether to ask for a stream: `onDelta` gets pieces as they arrive rather than the whole at the end, and a reply
   * that breaks off leaves its text in the error. The reply is the same.
   *
   * @default {false}
   */
  readonly stream?: boolean;
  /**
   * Finish reasons that mean "I am done" to this server beside those that are known, such as `["finished"]`; case and
   * punctuation play no part. One that is known to mean something else cannot be accepted.
   *
   * @default {[]}
   */
  readonly acceptFinishReasons?: readonly string[];
  /**
   * What becomes of thoughts that a text begins with, in `<think>`, `[THINK]` or the like: `split` puts them into the
   * reply's `reasoning` (`rawText` has the whole), `keep` leaves them in its text.
   *
   * @default {"split"}
   */
  readonly inlineThoughts?: "split" | "keep";
  /**
   * What goes back to the model of what its own replies held and only its server understands, such as signed reasoning:
   * everything, nothing, or the members of these names. Some servers need it back, some refuse it.
   *
   * @default {"all"}
   */
  readonly echo?: "all" | "none" | readonly string[];
  /**
   * What is sent in place of a turn of the user, or a tool's result, that holds nothing but white space.
   *
   * @default {"(empty)"}
   */
  readonly emptyText?: string;
}

/** The names of the options, for whoever adds to them. */
export const HTTP_MODEL_OPTIONS: KnownFields<HttpModelOptions> = {
  model: true,
  apiKey: true,
  headers: true,
  idempotencyKey: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  stream: true,
  acceptFinishReasons: true,
  inlineThoughts: true,
  echo: true,
  emptyText: true,
};

/** The options with what stands for those that were not given, checked. */
export interface HttpModelSettings {
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly stream: boolean;
  readonly times: CallTimes;
  readonly acceptFinishReasons: readonly string[];
  readonly inlineThoughts: "split" | "keep";
  readonly echo: Echo;
  readonly emptyText: string;
}

/**
 * Checks the options that all HTTP models have. The address and the headers are for the endpoint.
 *
 * @param known The options that there are.
 * @throws {InvalidRequestError} If one is not as it must be. It quotes no secret.
 */
export function httpModelSettings<T extends HttpModelOptions>(
  options: T,
  known: KnownFields<T>,
): HttpModelSettings {
  const advice = "what the server's API takes goes into `request`";
  refuseUnknownFields(options, known, { hideValues: true, advice });
  const { model, apiKey, stream = false, echo = "all", emptyText = "(empty)" } = options;
  const { inlineThoughts = "split", acceptFinishReasons = [] } = options;
  check("model", model, isText(model), "it must be a string that is not empty");
  checkApiKey(apiKey);
  check("stream", stream, typeof stream === "boolean", "it must be true or false");
  check("emptyText", emptyText, isText(emptyText), "it must be a string that is not blank");
  check(
    "inlineThoughts",
    inlineThoughts,
    ["split", "keep"].includes(inlineThoughts),
    'it must be "split" or "keep"',
  );
  const isEcho = echo === "all" || echo === "none" || isTexts(echo);
  check("echo", echo, isEcho, 'it must be "all", "none" or an array of names');
  checkAccepted(acceptFinishReasons);
  return {
    model,
    apiKey,
    stream,
    times: callTimes(options, stream),
    acceptFinishReasons: [...acceptFinishReasons],
    inlineThoughts,
    echo: typeof echo === "string" ? echo : [...echo],
    emptyText,
  };
}

function check(field: string, value: unknown, holds: boolean, detail: string): void {
  if (!holds) throw new InvalidRequestError(field, value, detail);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function checkAccepted(words: readonly string[]): void {
  const field = "acceptFinishReasons";
  check(field, words, isTexts(words), "it must be an array of words");
  for (const word of words) {
    const meaning = finishMeaning(word);
    const isFree = meaning.kind === "reason" && ["stop", "unknown"].includes(meaning.reason);
    check(field, word, isFree, "that word is known to mean another thing than that all was said");
  }
}

function callTimes(options: HttpModelOptions, stream: boolean): CallTimes {
  const { timeoutMs = 600_000, idleTimeoutMs = stream ? 120_000 : 0 } = options;
  checkWhole("timeoutMs", timeoutMs, 0, LONGEST_TIMER_MS);
  checkWhole("idleTimeoutMs", idleTimeoutMs, 0, LONGEST_TIMER_MS);
  return { timeoutMs, idleTimeoutMs };
}

/**
 * Checks and copies the caller's members of a request's body.
 *
 * @param reserved The members that the adapter itself writes.
 * @throws {InvalidRequestError} For a reserved member, or what is no object.
 * @throws {SerializationError} For a value that JSON cannot carry.
 */
export function requestMembers(
  request: Readonly<Record<string, JsonValue>> | undefined,
  reserved: readonly string[],
): JsonObject {
  const members = copyJson(request === undefined ? {} : request, "request");
  if (!isJsonObject(members)) {
    throw new InvalidRequestError("request", request, "it must be an object");
  }
  for (const name of reserved) {
    const isFree = !Object.hasOwn(members, name);
    check(`request.${name}`, members[name], isFree, RESERVED);
  }
  return members;
}

const RESERVED = "the adapter writes that member itself: leave it out";

/** What a model adapter reports for the parameter snapshot: what it sends and how it reads, not where to, and no key. */
export function modelParameters(
  kind: string,
  settings: HttpModelSettings,
  members: JsonObject,
): Readonly<Record<string, string>> {
  const { model, acceptFinishReasons, inlineThoughts, echo, emptyText } = settings;
  return Object.freeze({
    kind,
    model,
    accept_finish_reasons: canonicalJson(acceptFinishReasons),
    inline_thoughts: inlineThoughts,
    echo: typeof echo === "string" ? echo : canonicalJson(echo),
    empty_text: emptyText,
    ...Object.fromEntries(
      Object.entries(members).map(([name, value]) => [`request.${name}`, canonicalJson(value)]),
    ),
  });
}
