import { excerpt, InvalidRequestError, type JsonValue, ModelCallError } from "../../types/mod.ts";

/** Where a model is served, and what opens the door. */
export interface ModelEndpointOptions {
  /** The address that the path of the call is appended to; its query is kept. */
  readonly baseUrl: string;
  /** The key. Absent: none is needed. */
  readonly apiKey: string | undefined;
  /** The adapter's own headers. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  /** The caller's headers, which go before those; what they say may be secret. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A server that can be asked, and that gives no secret away. */
export interface ModelEndpoint {
  /** Sends one request. A redirect is not followed: a key is not for whoever else is named there. */
  post(body: JsonValue, signal: AbortSignal): Promise<Response>;
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
  const url = readUrl(options.baseUrl);
  url.pathname = url.pathname.replace(/\/*$/, path);
  const headers = readHeaders({ ...options.ownHeaders, ...options.headers });
  const secrets = secretTexts(options.apiKey, options.headers, url);

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
    async post(body, signal) {
      const text = JSON.stringify(body);
      try {
        return await fetch(url, {
          method: "POST",
          headers,
          body: text,
          redirect: "manual",
          signal,
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
