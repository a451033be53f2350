import { assertEquals, assertRejects } from "@std/assert";
import { McpFault } from "../../../adapters/_mcp/fault.ts";
import { MAX_MESSAGE_BYTES } from "../../../adapters/_mcp/link.ts";
import {
  type HttpAnswer,
  MAX_STREAM_BYTES,
  readAnswer,
} from "../../../adapters/_mcp/transports/http_answer.ts";
import { event, streamed } from "./mcp_http_server.ts";
import { messageOf, textResult } from "./mcp_sides.ts";

const ANSWER = messageOf(1, textResult("mine"));
const SSE = "text/event-stream";

async function read(response: Response): Promise<HttpAnswer> {
  return await readAnswer(response, 1, () => {});
}

/** A stream of these pieces, which breaks after them. */
function broken(type: string, ...pieces: readonly string[]): Response {
  return streamed(type, async function* () {
    yield* pieces;
    throw new Error("the connection broke");
  });
}

async function* repeated(piece: string, bytes: number): AsyncGenerator<string> {
  for (let size = 0; size <= bytes; size += piece.length) yield piece;
}

Deno.test("readAnswer() says where a stream stands that ends or breaks before the answer", async () => {
  const marks: [string, unknown][] = [
    ["", {}],
    [": nothing\n\n", {}],
    ["id: a\nretry: 5\ndata: \n\n", { lastEventId: "a", retryMs: 5 }],
    ["id: a\nretry: 5\ndata: \n\nid: b\ndata: x\n\n", { lastEventId: "b", retryMs: 5 }],
    ["id: a\ndata: \n\nid\ndata: x\n\n", {}],
    ["id: a\ndata: \n\nid: b\ndata: cut", { lastEventId: "a" }],
  ];
  for (const [text, mark] of marks) {
    assertEquals(await read(new Response(text, { headers: { "content-type": SSE } })), {
      mark,
    } as HttpAnswer);
    assertEquals(await read(broken(SSE, text)), { mark } as HttpAnswer);
  }
});

Deno.test("readAnswer() takes the answer of a stream that breaks after it, wherever the text is cut", async () => {
  const text = event(ANSWER, "id: 1\n");
  for (let cut = 0; cut <= text.length; cut++) {
    const read = await readAnswer(broken(SSE, text.slice(0, cut), text.slice(cut)), 1, () => {});
    assertEquals(read, { answer: { result: textResult("mine") } });
  }
});

Deno.test("readAnswer() faults a body that breaks", async () => {
  const body = broken("application/json", JSON.stringify(ANSWER));
  await assertRejects(() => read(body), McpFault, "the connection broke in mid-answer");
});

Deno.test("readAnswer() takes as much as the limits say, and no more", async () => {
  const space = " ".repeat(2 ** 16);
  const json = (bytes: number) => streamed("application/json", () => repeated(space, bytes));
  const lines = (piece: string, bytes: number) => streamed(SSE, () => repeated(piece, bytes));
  await assertRejects(() => read(json(MAX_MESSAGE_BYTES)), McpFault, "larger than 8388608 bytes");
  await assertRejects(
    () => read(lines(space, MAX_MESSAGE_BYTES)),
    McpFault,
    "longer than 8388608 characters",
  );
  await assertRejects(
    () => read(lines(`:${space}\n`, MAX_STREAM_BYTES)),
    McpFault,
    "larger than 67108864 bytes",
  );
  const refused = new Response(space.repeat(2), { status: 500 });
  await assertRejects(() => read(refused), McpFault, "(HTTP 500) is larger than 65536 bytes");
});
