import type { ModelCall } from "../../ports/mod.ts";
import {
  excerpt,
  InvalidRequestError,
  type JsonValue,
  ModelCallError,
  type ModelReply,
} from "../../types/mod.ts";
import { deepestCause } from "./deepest_cause.ts";
import { isMapOfStrings, readAddress, readHeaders } from "./request_parts.ts";
import {
  queryValues,
  replySecrets,
  secretTexts,
  withoutSecretsIn,
  withoutTexts,
} from "./secrets.ts";
import { singleUseClient } from "./single_use_client.ts";

/** What headers may be made from: which call it is, and the request's `modelBinding`. */
export type NamedCall = Pick<ModelCall, "callId" | "attempt" | "binding">;

/** Where a model is served, and what opens the door. */
export interface ModelEndpointOptions {
  /** The address that the path of the call is appended to; its query is kept. */
  readonly baseUrl: string;
  /** The key. Absent: none is needed. */
  readonly apiKey?: string;
  /** The adapter's own headers. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  /** The caller's headers, which go before those; what they say may be secret. Absent: none. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((call: NamedCall) => Readonly<Record<string, string>>);
  /** Whether an `Idempotency-Key` goes along, which names the request, or the call. Absent: none goes. */
  readonly idempotencyKey?: boolean | "call";
}

/** A server that can be asked. */
export interface ModelEndpoint {
  /**
   * What a call has with the server.
   *
   * @param heard Is told of every byte that comes.
   * @throws {ModelCallError} `bad_request`, if the headers of the call cannot be had.
   */
  exchange(call: Omit<ModelCall, "messages">, heard: () => void): ModelExchange;
}

/** One request and its answer, and what gives no secret away. */
export interface ModelExchange {
  /** Where it goes, without the query. */
  readonly address: string;
  /** Sends the request. A redirect is not followed: a key is not for whoever else is named there. */
  post(body: JsonValue, signal: AbortSignal): Promise<Response>;
  /** Takes down that something came. */
  heard(): void;
  /** The origin that an answer sends the request on to, with the path if it is the same. Absent: it is no redirect. */
  redirectTarget(response: Response): string | undefined;
  /** Closes the connection. */
  close(): void;
  /** A text without the secrets. */
  withoutSecrets(text: string): string;
  /** A reply without the secrets that must not be recorded. */
  withoutSecretsIn(reply: ModelReply): ModelReply;
  /** A text of the server for an error message: without the secrets, cut to a bound, in quotes, on one line. */
  quote(text: string): string;
}

/** How much of a server's message an error quotes, in code points. */
export const MAX_QUOTED_CHARS = 500;

/**
 * Checks and keeps what is needed to reach a server.
 *
 * @throws {InvalidRequestError} For an address that is not plain http(s), or a header that HTTP cannot carry. It
 * quotes neither.
 */
export function modelEndpoint(path: string, options: ModelEndpointOptions): ModelEndpoint {
  const { baseUrl, ownHeaders, headers = {}, idempotencyKey } = options;
  const url = readAddress("baseUrl", baseUrl);
  url.pathname = callPath(url.pathname, path);
  if (![undefined, true, false, "call"].includes(idempotencyKey)) {
    throw new InvalidRequestError(
      "idempotencyKey",
      idempotencyKey,
      'it must be true, false or "call"',
    );
  }
  if (typeof headers !== "function") {
    if (!isMapOfStrings(headers)) {
      throw new InvalidRequestError("headers", HIDDEN, "it must be a map of strings, or make one");
    }
    readHeaders({ ...ownHeaders, ...headers });
  }
  return {
    exchange(call, heard) {
      const given = typeof headers === "function" ? callHeaders(headers, call) : headers;
      const key: Readonly<Record<string, string>> = idempotencyKey
        ? { "idempotency-key": requestName(call, idempotencyKey) }
        : {};
      return modelExchange(url, {
        headers: sendable({ ...ownHeaders, ...key, ...given }),
        secrets: secretTexts(
          [...Object.values(given), ...queryValues(url)],
          options.apiKey,
        ),
        replySecrets: replySecrets({ ...ownHeaders, ...given }, url, options.apiKey),
        heard,
      });
    },
  };
}

/** What an exchange has of its own. */
interface ExchangeParts {
  readonly headers: Headers;
  readonly secrets: readonly string[];
  readonly replySecrets: readonly string[];
  readonly heard: () => void;
}

function modelExchange(
  url: URL,
  { headers, secrets, replySecrets, heard }: ExchangeParts,
): ModelExchange {
  const client = singleUseClient();

  const withoutSecrets = (text: string): string => withoutTexts(text, secrets);

  const quote = (text: string): string =>
    JSON.stringify(excerpt(withoutSecrets(text), MAX_QUOTED_CHARS));

  return {
    address: withoutSecrets(url.origin + url.pathname),
    withoutSecrets,
    withoutSecretsIn: (reply) => withoutSecretsIn(reply, replySecrets),
    quote,
    heard,
    close: () => client?.close(),
    redirectTarget({ status, headers }) {
      const location = headers.get("location");
      if (status < 300 || status > 399 || location === null) return undefined;
      if (!URL.canParse(location, url.href)) return "an address that cannot be read";
      const { origin, pathname, protocol } = new URL(location, url.href);
      if (origin === url.origin) return withoutSecrets(origin + pathname);
      return origin === "null" ? `an address of ${protocol}` : origin;
    },
    async post(body, signal) {
      const text = JSON.stringify(body);
      try {
        return await fetch(url, {
          method: "POST",
          headers,
          body: text,
          redirect: "manual",
          keepalive: false, // Bun keeps a connection otherwise
          signal,
          ...(client && { client }),
        });
      } catch (error) {
        const said = deepestCause(error).replaceAll(url.href, url.origin);
        throw new ModelCallError(
          `the server at ${url.origin} cannot be reached: ${quote(said)}`,
          { kind: "connection", retriable: true },
        );
      }
    },
  };
}

/** The name of a request, or of the call that it is one of. */
function requestName(
  { callId, attempt, subAttempt }: Omit<ModelCall, "messages">,
  which: true | "call",
): string {
  if (which === "call") return callId;
  return `${callId}#${attempt}${subAttempt === undefined ? "" : `.${subAttempt}`}`;
}

function callHeaders(
  headers: (call: NamedCall) => Readonly<Record<string, string>>,
  { callId, attempt, binding }: NamedCall,
): Readonly<Record<string, string>> {
  let given: unknown;
  try {
    given = headers({ callId, attempt, binding });
  } catch {
    throw badHeaders("the function that makes its headers threw");
  }
  if (isMapOfStrings(given)) return given;
  throw badHeaders("the function that makes its headers did not return a map of strings");
}

function sendable(headers: Readonly<Record<string, string>>): Headers {
  try {
    return readHeaders(headers);
  } catch (error) {
    const { field } = Object(error);
    throw badHeaders(`HTTP cannot carry the name or value of ${field}`);
  }
}

function badHeaders(message: string): ModelCallError {
  return new ModelCallError(message, { kind: "bad_request", retriable: false });
}

/** The path of a call, whether an address ends before it, inside it, or after it. */
function callPath(base: string, path: string): string {
  const given = base.replace(/\/+$/, "");
  const withoutVersion = path.replace(/^\/v1(?=\/)/, "");
  if (given.endsWith(withoutVersion)) return given;
  return given.endsWith("/v1") ? given + withoutVersion : given + path;
}

const HIDDEN = "(hidden)";
