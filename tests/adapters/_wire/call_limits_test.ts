import { assertEquals, assertThrows } from "@std/assert";
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { InvalidRequestError } from "../../../types/mod.ts";
import { failureOf, modelCall } from "../model_calls.ts";
import { jsonAnswer, type RawAnswer, rawHttpServer, streamAnswer } from "../raw_http_server.ts";

interface Limits {
  readonly stream?: boolean;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
}

const MODELS = [
  (baseUrl: string, limits: Limits) => chatCompletionsModel({ baseUrl, model: "fx", ...limits }),
  (baseUrl: string, limits: Limits) =>
    anthropicMessagesModel({ baseUrl, model: "fx", maxTokens: 1, ...limits }),
];

const CHUNK = 'data: {"choices":[{"delta":{"content":"so far"}}]}\n\n' +
  'data: {"type":"message_start","message":{}}\n\n' +
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"so far"}}\n\n';
const SILENT: RawAnswer = { ...jsonAnswer({}), end: "silent" };
const IDLE = "nothing was heard for 60 ms (idleTimeoutMs)";
const LONG = "it took longer than 60 ms (timeoutMs)";

Deno.test("a model's call ends when the server is silent, saying which limit, how long, how much text", async () => {
  const cases: [RawAnswer, Limits, string, string | undefined][] = [
    [SILENT, { timeoutMs: 60 }, `${LONG}, and no text`, undefined],
    [SILENT, { idleTimeoutMs: 60 }, `${IDLE}, and no text`, undefined],
    [SILENT, { stream: true, idleTimeoutMs: 60 }, `${IDLE}, and no text`, undefined],
    [
      streamAnswer(CHUNK, "open"),
      { stream: true, idleTimeoutMs: 700 },
      "nothing was heard for 700 ms (idleTimeoutMs), and 6 characters of text",
      "so far",
    ],
    [
      streamAnswer(CHUNK, "open"),
      { stream: true, timeoutMs: 700, idleTimeoutMs: 0 },
      "it took longer than 700 ms (timeoutMs), and 6 characters of text",
      "so far",
    ],
    [{ ...jsonAnswer({}), end: "open" }, { idleTimeoutMs: 60 }, `${IDLE}, and no text`, undefined],
  ];
  const tried = cases.flatMap((one) => MODELS.map((modelAt) => [modelAt, ...one] as const));
  await Promise.all(tried.map(async ([modelAt, answer, limits, said, partialText]) => {
    await using server = rawHttpServer(answer);
    const error = await failureOf(modelAt(server.origin, limits));
    assertEquals([error.kind, error.retriable], ["timeout", true]);
    assertEquals(error.message, `Cannot call model "fx" as ${said} had come`);
    assertEquals(error.partialText, partialText);
  }));
});

/** A server whose stream goes on with something for so long, then ends. */
function drippingServer(drip: string, drips: number) {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    let left = drips;
    let timer: ReturnType<typeof setInterval> | undefined;
    const encode = (text: string) => new TextEncoder().encode(text);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        controller.enqueue(encode(CHUNK));
        timer = setInterval(() => {
          if (left-- > 0) return controller.enqueue(encode(drip));
          clearInterval(timer);
          controller.enqueue(encode('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'));
          controller.enqueue(
            encode('data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'),
          );
          controller.enqueue(encode('data: {"type":"message_stop"}\n\ndata: [DONE]\n\n'));
          controller.close();
        }, 20);
      },
      cancel: () => clearInterval(timer),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
}

Deno.test("a model's call takes any byte of a stream as life, and yet no longer than timeoutMs", async () => {
  const drips = [": still here\n\n", 'data: {"type":"ping"}\n\n'];
  const tried = drips.flatMap((drip) => MODELS.map((modelAt) => [modelAt, drip] as const));
  await Promise.all(tried.map(async ([modelAt, drip]) => {
    await using server = drippingServer(drip, 20);
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const reply = await modelAt(origin, { stream: true, idleTimeoutMs: 3000 }).call(modelCall());
    assertEquals(reply.text, "so far");
    const limits = { stream: true, idleTimeoutMs: 3000, timeoutMs: 60 };
    const error = await failureOf(modelAt(origin, limits));
    assertEquals([error.kind, error.message.includes(LONG)], ["timeout", true]);
  }));
});

Deno.test("a model refuses times that no timer can wait for", () => {
  for (const modelAt of MODELS) {
    for (const field of ["timeoutMs", "idleTimeoutMs"]) {
      for (const ms of [-1, 0.5, NaN, Infinity, 2 ** 31, "5"]) {
        const refuse = () => modelAt("http://127.0.0.1:1", { [field]: ms });
        assertEquals(assertThrows(refuse, InvalidRequestError).field, field);
      }
    }
  }
});
