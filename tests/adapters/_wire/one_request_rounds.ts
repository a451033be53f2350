/**
 * Calls of the HTTP models to servers that cut every other one off: on whatever platform runs this, for it uses Node's
 * modules alone.
 *
 * @module
 */
import { createServer, type Socket } from "node:net";
import { type ModelPort, textMessage } from "@polyloop/polyloop";
import { anthropicMessagesModel } from "@polyloop/polyloop/adapters/anthropic-messages-model";
import { chatCompletionsModel } from "@polyloop/polyloop/adapters/chat-completions-model";
import { errorInfo } from "@polyloop/polyloop/types";

/** What a server may do once it has read a request whole. */
export const CLOSINGS: Readonly<Record<string, (socket: Socket) => void>> = {
  "closes without a byte": (socket) => socket.end(),
  resets: (socket) => socket.resetAndDestroy(),
  "closes after the status line": (socket) => socket.end("HTTP/1.1 200 OK\r\n"),
};

/** A server that answers each odd request on a connection that it keeps, and cuts each even one when it has read it. */
async function cuttingServer(cut: (socket: Socket) => void) {
  const body = JSON.stringify({
    choices: [{ message: { content: "ok" }, finish_reason: "stop" }],
    type: "message",
    content: [{ type: "text", text: "ok" }],
    stop_reason: "end_turn",
  });
  const length = new TextEncoder().encode(body).length;
  const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}`;
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let read = "";
    socket.setEncoding("latin1");
    socket.on("data", (piece: string) => {
      read += piece;
      const head = read.indexOf("\r\n\r\n");
      const size = Number(/content-length: (\d+)/i.exec(read)?.[1] ?? Infinity);
      if (head < 0 || read.length < head + 4 + size) return;
      read = "";
      if (++requests % 2 === 0) cut(socket);
      else socket.write(`${answer}\r\n\r\n${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** How much of a request's body a server reads before it cuts it. */
const READ_BYTES = 100_000;

/** What a server may do while a request's body is still on its way. */
export const CUTS: Readonly<Record<string, (socket: Socket) => void>> = {
  "closes in the body": (socket) => socket.end(),
  "resets in the body": (socket) => socket.resetAndDestroy(),
  "destroys the connection in the body": (socket) => socket.destroy(),
};

/**
 * What became of a call in each mode, streamed or not, to a server that reads a part of each request and cuts it: how
 * many requests came, and how each ended.
 */
export async function cutRounds(
  how: string,
  modes: readonly boolean[],
): Promise<Record<string, number>> {
  const cut = CUTS[how];
  if (cut === undefined) throw new TypeError(`no server ${how}`);
  let requests = 0;
  const server = createServer((socket) => {
    let size = 0;
    socket.on("error", () => {});
    socket.on("data", (piece: Uint8Array) => {
      if (size === 0) requests++;
      size += piece.length;
      if (size < READ_BYTES) return;
      socket.removeAllListeners("data");
      cut(socket);
      socket.resume();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  const ends: Record<string, number> = {};
  const text = "x".repeat(12_000_000); // more than the system's buffers hold
  for (const make of Object.values(MODELS)) {
    for (const stream of modes) {
      const end = await endOf(make(`http://127.0.0.1:${address.port}`, stream), text);
      ends[end] = (ends[end] ?? 0) + 1;
    }
  }
  await new Promise((resolve) => server.close(resolve));
  return { ...ends, requests };
}

const MODELS: Readonly<Record<string, (baseUrl: string, stream: boolean) => ModelPort>> = {
  chatCompletionsModel: (baseUrl, stream) => chatCompletionsModel({ baseUrl, model: "m", stream }),
  anthropicMessagesModel: (baseUrl, stream) =>
    anthropicMessagesModel({ baseUrl, model: "m", maxTokens: 1, stream }),
};

/** What became of so many calls: how many requests the server read, and how often each end came. */
export async function roundsOf(how: string, calls: number): Promise<Record<string, number>> {
  const cut = CLOSINGS[how];
  if (cut === undefined) throw new TypeError(`no server ${how}`);
  const server = await cuttingServer(cut);
  const models = Object.values(MODELS)
    .flatMap((make) => [false, true].map((stream) => make(server.baseUrl, stream)));
  const ends: Record<string, number> = {};
  try {
    for (const model of models) {
      for (let i = 0; i < calls / models.length; i++) {
        const end = await endOf(model);
        ends[end] = (ends[end] ?? 0) + 1;
      }
    }
  } finally {
    await server.close();
  }
  return { ...ends, requests: server.requests() };
}

/** The text of a reply, or the kind of a failure and whether it is retriable. */
async function endOf(model: ModelPort, text = "How many wells?"): Promise<string> {
  const { signal } = new AbortController();
  const messages = [textMessage("user", text)];
  const call = { callId: "r/s0", attempt: 1, messages, binding: {}, signal, draining: signal };
  try {
    return (await model.call(call)).text;
  } catch (error) {
    const { kind, retriable } = errorInfo(error);
    return `${kind} ${retriable}`;
  }
}
