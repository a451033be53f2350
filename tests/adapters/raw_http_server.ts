/**
 * An HTTP server that sends exactly the bytes it is told, in exactly the pieces it is told, and can break off in the
 * middle: `Deno.serve` can do neither.
 *
 * @module
 */

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** What the server sends. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; each piece is one chunk on the wire. */
  readonly pieces: readonly Uint8Array[];
  /**
   * `clean`, as HTTP ends a body; `broken`, in the middle of it; `open`, not before the server is closed; `silent`, as
   * `open`, and nothing is sent at all.
   */
  readonly end: "clean" | "broken" | "open" | "silent";
}

/** A running server. */
export interface RawHttpServer extends AsyncDisposable {
  readonly origin: string;
  /** Every request, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when the first request is there. */
  readonly clientCame: Promise<void>;
  /** Resolves when a client has closed the connection of an answer that stays open. */
  readonly clientLeft: Promise<void>;
}

/** Serves one answer to every request, or what each request is to get, by its place from 0. */
export function rawHttpServer(
  answers: RawAnswer | ((request: ReceivedRequest, place: number) => RawAnswer),
): RawHttpServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: ReceivedRequest[] = [];
  const connections = new Set<Deno.Conn>();
  const { promise: clientCame, resolve: clientHasCome } = Promise.withResolvers<void>();
  const { promise: clientLeft, resolve: clientHasLeft } = Promise.withResolvers<void>();

  async function serve(connection: Deno.Conn): Promise<void> {
    connections.add(connection);
    try {
      const request = await readRequest(connection);
      const place = requests.push(request) - 1;
      clientHasCome();
      const answer = typeof answers === "function" ? answers(request, place) : answers;
      if (answer.end !== "silent") await writeAnswer(connection, answer);
      if (answer.end === "open" || answer.end === "silent") {
        await connection.read(new Uint8Array(1));
        clientHasLeft();
      }
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) clientHasLeft();
      else if (!isClosing(error)) throw error;
    } finally {
      if (connections.delete(connection)) connection.close();
    }
  }

  const serving = (async () => {
    const open: Promise<void>[] = [];
    for await (const connection of listener) open.push(serve(connection));
    await Promise.all(open);
  })();

  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    requests,
    clientCame,
    clientLeft,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of [...connections]) {
        connections.delete(connection);
        connection.close();
      }
      await serving;
    },
  };
}

/** A text as one piece. */
export function onePiece(text: string): readonly Uint8Array[] {
  return [new TextEncoder().encode(text)];
}

/** A body as JSON. */
export function jsonAnswer(body: unknown, status = 200): RawAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    pieces: onePiece(JSON.stringify(body)),
    end: "clean",
  };
}

/** An event stream, with status 200. */
export function streamAnswer(text: string, end: RawAnswer["end"] = "clean"): RawAnswer {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    pieces: onePiece(text),
    end,
  };
}

function isClosing(error: unknown): boolean {
  return error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted ||
    error instanceof Deno.errors.BrokenPipe;
}

async function readRequest(connection: Deno.Conn): Promise<ReceivedRequest> {
  let bytes = new Uint8Array();
  const chunk = new Uint8Array(65_536);
  for (;;) {
    const text = new TextDecoder("latin1").decode(bytes);
    const head = text.indexOf("\r\n\r\n");
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (head >= 0 && bytes.length >= head + 4 + length) {
      const [request, ...lines] = text.slice(0, head).split("\r\n");
      const [method, path] = request!.split(" ");
      return {
        method: method!,
        path: path!,
        headers: new Headers(lines.map((line) => line.split(": ", 2) as [string, string])),
        body: new TextDecoder().decode(bytes.slice(head + 4)),
      };
    }
    const size = await connection.read(chunk);
    if (size === null) throw new Deno.errors.BrokenPipe("the client left early");
    const grown = new Uint8Array(bytes.length + size);
    grown.set(bytes);
    grown.set(chunk.subarray(0, size), bytes.length);
    bytes = grown;
  }
}

async function writeAnswer(connection: Deno.Conn, answer: RawAnswer): Promise<void> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const headers = Object.entries({
    ...answer.headers,
    "transfer-encoding": "chunked",
    connection: "close",
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await writeAll(connection, encode(`HTTP/1.1 ${answer.status} X\r\n${lines}\r\n`));
  for (const piece of answer.pieces) {
    if (piece.length === 0) continue; // an empty chunk would end the body
    await writeAll(connection, encode(`${piece.length.toString(16)}\r\n`));
    await writeAll(connection, piece);
    await writeAll(connection, encode("\r\n"));
  }
  if (answer.end === "clean") await writeAll(connection, encode("0\r\n\r\n"));
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}
