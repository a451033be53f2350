import type { ModelCall } from "../../ports/mod.ts";
import {
  checkShape,
  excerpt,
  InvalidRequestError,
  type JsonValue,
  mapShape,
  ModelCallError,
  stringShape,
} from "../../types/mod.ts";

/** What headers may be made from: which call it is, and the request's `modelBinding`. */
export type NamedCall = Pick<ModelCall, "callId" | "attempt" | "binding">;

/** Where a model is served, and what opens the door. */
export interface ModelEndpointOptions {
  /** The address that the path of the call is appended to; its query is kept. */
  readonly baseUrl: string;
  /** The key. Absent: none is needed. */
  readonly apiKey: string | undefined;
  /** The adapter's own headers. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  /** The caller's headers, which go before those; what they say may be secret. Absent: none. */
  readonly headers:
    | Readonly<Record<string, string>>
    | ((call: NamedCall) => Readonly<Record<string, string>>)
    | undefined;
  /** Whether an `Idempotency-Key` goes along, which names the request, or the call. Absent: none goes. */
  readonly idempotencyKey: boolean | "call" | undefined;
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
  /** Sends the request. A redirect is not followed: a key is not for whoever else is named there. */
  post(body: JsonValue, signal: AbortSignal): Promise<Response>;
  /** Takes down that something came. */
  heard(): void;
  /** The origin that an answer sends the request on to. Absent: it is no redirect. */
  redirectTarget(response: Response): string | undefined;
  /** Closes the connection. */
  close(): void;
  /** A text without the secrets. */
  withoutSecrets(text: string): string;
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
  const url = readUrl(baseUrl);
  url.pathname = url.pathname.replace(/\/*$/, path);
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
      const key = idempotencyKey ? { "idempotency-key": requestName(call, idempotencyKey) } : {};
      return modelExchange(url, {
        headers: sendable({ ...ownHeaders, ...key, ...given }),
        secrets: secretTexts(options.apiKey, given, url),
        heard,
      });
    },
  };
}

/** What an exchange has of its own. */
interface ExchangeParts {
  readonly headers: Headers;
  readonly secrets: readonly string[];
  readonly heard: () => void;
}

function modelExchange(url: URL, { headers, secrets, heard }: ExchangeParts): ModelExchange {
  const client = singleUseClient();

  const withoutSecrets = (text: string): string => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret, "[hidden]");
    return clean;
  };

  const quote = (text: string): string =>
    JSON.stringify(excerpt(withoutSecrets(text), MAX_QUOTED_CHARS));

  return {
    withoutSecrets,
    quote,
    heard,
    close: () => client?.close(),
    redirectTarget({ status, headers }) {
      const location = headers.get("location");
      if (status < 300 || status > 399 || location === null) return undefined;
      return URL.canParse(location, url.href)
        ? new URL(location, url.href).origin
        : "an address that cannot be read";
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
        const said = innermost(error).replaceAll(url.href, url.origin);
        throw new ModelCallError(
          `the server at ${url.origin} cannot be reached: ${quote(said)}`,
          { kind: "connection", retriable: true },
        );
      }
    },
  };
}

/**
 * A client whose connections serve one request each. On a kept connection Deno's `fetch` sends a request again when the
 * server, which may have read it, closes before it answers: then one call would be two requests. Absent: the platform is
 * another one, and does not.
 */
function singleUseClient(): Deno.HttpClient | undefined {
  return typeof Deno === "undefined" ? undefined : Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
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

/** Whether something is a plain object of strings: no promise, and no `Headers`, whose entries nobody would see. */
function isMapOfStrings(value: unknown): value is Readonly<Record<string, string>> {
  return Object.getPrototypeOf(Object(value)) === Object.prototype &&
    checkShape(value, mapShape(stringShape)).ok;
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

/** What the deepest cause of an error says: `fetch` itself only says that it failed. */
function innermost(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? innermost(error.cause)
    : String(error);
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new InvalidRequestError(
      "baseUrl",
      HIDDEN,
      "it must be an http(s) address such as http://localhost:11434/v1, without a user name and password",
    );
  }
  url.hash = "";
  return url;
}

function readHeaders(record: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(record)) {
    try {
      headers.set(name, value);
    } catch {
      throw new InvalidRequestError(
        `headers.${name}`,
        HIDDEN,
        "HTTP cannot carry its name or value",
      );
    }
  }
  return headers;
}

const HIDDEN = "(hidden)";

/** Texts shorter than this are no secrets unless they are the key: `true`, `gzip`. */
const MIN_SECRET_LENGTH = 8;

/** What must not be shown: the key, and every long enough word of the headers and the query; longest first. */
function secretTexts(
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>>,
  url: URL,
): readonly string[] {
  const words = [...Object.values(headers), ...url.searchParams.values()]
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((word) => word.length >= MIN_SECRET_LENGTH);
  const key = apiKey?.trim(); // a header is sent without the space around it
  const texts = new Set(key ? [key, ...words] : words);
  for (const text of [...texts]) {
    texts.add(JSON.stringify(text).slice(1, -1)).add(encodeURIComponent(text));
  }
  return [...texts].sort((a, b) => b.length - a.length);
}
