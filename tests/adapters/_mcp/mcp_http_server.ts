import type { JsonObject } from "../../../types/mod.ts";
import { type Asked, messageOf } from "./mcp_sides.ts";

/** An HTTP request as it arrived. */
export interface HttpAsked {
  readonly method: string;
  readonly headers: Headers;
  /** The message in its body; empty where it has none. */
  readonly message: Asked & { readonly result?: JsonObject; readonly error?: JsonObject };
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** A server in this process. */
export interface McpHttpServer extends AsyncDisposable {
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly HttpAsked[];
  /** The requests as text: HTTP's method, and the message's. */
  log(): string[];
}

/** Serves MCP as a function says. */
export function mcpHttpServer(
  respond: (asked: HttpAsked) => Response | Promise<Response>,
): McpHttpServer {
  const requests: HttpAsked[] = [];
  const closing = new AbortController();
  const options = {
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
    signal: closing.signal,
  };
  const server = Deno.serve(options, async (request) => {
    const { signal } = request;
    const text = await request.text();
    const message = text === "" ? {} : JSON.parse(text);
    const asked = {
      method: request.method,
      headers: request.headers,
      message: { params: {}, ...message },
      signal,
    };
    requests.push(asked);
    return await respond(asked);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/mcp`,
    requests,
    log: () => requests.map(({ method, message }) => `${method} ${message.method ?? ""}`.trim()),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await server.finished;
    },
  };
}

/** A function of what is asked, as a server over HTTP answers it: requests with JSON, notifications with 202. */
export function jsonSide(
  answer: (asked: Asked) => JsonObject,
): (asked: HttpAsked) => Response {
  return ({ method, message }) => {
    if (method !== "POST") return new Response(null, { status: 405 });
    if (message.id === undefined) return new Response(null, { status: 202 });
    return Response.json(messageOf(message.id, answer(message)));
  };
}

/** A response that is an event stream of these pieces. */
export function eventStream(...pieces: readonly string[]): Response {
  return streamed("text/event-stream", async function* () {
    yield* pieces;
  });
}

/** An event with a message. */
export function event(message: JsonObject, fields = ""): string {
  return `${fields}data: ${JSON.stringify(message)}\n\n`;
}

/** A response with a body that comes piece by piece, and breaks off where the pieces throw. */
export function streamed(
  contentType: string,
  pieces: () => AsyncGenerator<string>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = ReadableStream.from(pieces()).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { "content-type": contentType, ...headers } });
}

/** No response, until the client has left. */
export function silence({ signal }: HttpAsked): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  signal.addEventListener("abort", () => resolve(new Response()));
  return promise;
}
