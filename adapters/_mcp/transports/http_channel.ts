import { deepestCause } from "../../_wire/deepest_cause.ts";
import { singleUseClient } from "../../_wire/single_use_client.ts";
import { CLOSED, lost, type McpFault, notSent } from "../fault.ts";

/** One request over HTTP. */
export interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: it has none. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The place of a server. */
export interface HttpPlace {
  readonly url: URL;
  /** The caller's headers, which go with every request. */
  readonly headers: Headers;
}

/** A way to one address. */
export interface HttpChannel {
  /** Aborts when it is closed. */
  readonly closing: AbortSignal;
  /**
   * Sends a request, once. A redirect is not followed: headers are not for whoever else is named there.
   *
   * @throws {McpFault} If no answer comes.
   * @throws The signal's reason, after an abort.
   */
  send(request: HttpRequest): Promise<Response>;
  /** Ends all that goes on, and lets go of the connections. */
  close(): void;
}

/** A channel to a place. */
export function httpChannel({ url, headers }: HttpPlace): HttpChannel {
  const client = singleUseClient();
  const closing = new AbortController();
  return {
    closing: closing.signal,
    async send({ method, headers: own, body, signal }) {
      signal.throwIfAborted();
      if (closing.signal.aborted) throw notSent(CLOSED);
      const all = new Headers(headers);
      for (const [name, value] of Object.entries(own)) all.set(name, value);
      try {
        return await fetch(url, {
          method,
          headers: all,
          redirect: "manual",
          keepalive: false, // Bun keeps a connection otherwise
          signal: AbortSignal.any([signal, closing.signal]),
          ...(body === undefined ? {} : { body }),
          ...(client && { client }),
        });
      } catch (error) {
        signal.throwIfAborted();
        throw faultOf(error, closing.signal, url);
      }
    },
    close() {
      closing.abort();
      client?.close();
    },
  };
}

function faultOf(error: unknown, closing: AbortSignal, url: URL): McpFault {
  if (closing.aborted) return lost(CLOSED);
  const said = deepestCause(error).replaceAll(url.href, url.origin);
  return lost(`the server cannot be reached: ${JSON.stringify(said)}`);
}
