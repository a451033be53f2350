/** One call is one request, counted by servers that close, reset, or answer half a head after they have read it all. */
import { assertEquals } from "@std/assert";
import { createServer, type Socket } from "node:net";
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import type { ModelPort } from "../../../ports/mod.ts";
import { ANTHROPIC_OK, CHAT_OK, failureOf, modelCall } from "../model_calls.ts";

const CLOSINGS: Readonly<Record<string, (socket: Socket) => void>> = {
  "closes without a byte": (socket) => socket.end(),
  resets: (socket) => socket.resetAndDestroy(),
  "closes after the status line": (socket) => socket.end("HTTP/1.1 200 OK\r\n"),
};

/** A server that answers each odd request on a connection that it keeps, and cuts each even one when it has read it. */
async function cuttingServer(cut: (socket: Socket) => void) {
  const body = JSON.stringify({ ...CHAT_OK, ...ANTHROPIC_OK });
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
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const MODELS: Readonly<Record<string, (baseUrl: string, stream: boolean) => ModelPort>> = {
  chatCompletionsModel: (baseUrl, stream) => chatCompletionsModel({ baseUrl, model: "m", stream }),
  anthropicMessagesModel: (baseUrl, stream) =>
    anthropicMessagesModel({ baseUrl, model: "m", maxTokens: 1, stream }),
};

const CALLS = 200;

for (const [how, cut] of Object.entries(CLOSINGS)) {
  Deno.test(`a call of a model is one request to a server that ${how}`, async () => {
    await using server = await cuttingServer(cut);
    const models = Object.values(MODELS)
      .flatMap((make) => [false, true].map((stream) => make(server.baseUrl, stream)));
    const each = CALLS / models.length / 2;
    for (const model of models) {
      for (let i = 0; i < each; i++) {
        assertEquals((await model.call(modelCall())).text, "ok");
        const { kind, retriable } = await failureOf(model);
        assertEquals([kind, retriable], ["connection", true]);
      }
    }
    assertEquals(server.requests(), CALLS);
  });
}
