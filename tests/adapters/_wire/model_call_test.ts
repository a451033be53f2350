import {
  assertEquals,
  assertFalse,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
} from "@std/assert";
import { MAX_QUOTED_CHARS } from "../../../adapters/_wire/model_endpoint.ts";
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import type { ModelPort } from "../../../ports/mod.ts";
import { failureOf, message, modelCall } from "../model_calls.ts";
import {
  jsonAnswer,
  onePiece,
  type RawAnswer,
  rawHttpServer,
  streamAnswer,
} from "../raw_http_server.ts";

const KEY = 'sk-"secret\\key/+1';
const HEADER_SECRET = "header-secret-42";
const QUERY_SECRET = "query-secret-43";

/** Each model against a server, with secrets in every place where they may be. */
function models(origin: string, stream = false): readonly ModelPort[] {
  const options = {
    baseUrl: `${origin}/?key=${QUERY_SECRET}`,
    model: "fx",
    apiKey: `${KEY}\n`, // as read from a file
    headers: { "x-other": `Token ${HEADER_SECRET}` },
    stream,
  };
  return [chatCompletionsModel(options), anthropicMessagesModel({ ...options, maxTokens: 1 })];
}

/** An address where nobody listens. */
function closedOrigin(): string {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return `http://127.0.0.1:${listener.addr.port}`;
}

const STREAMED_TEXT = 'data: {"choices":[{"delta":{"content":"so far"}}]}\n\n' +
  'data: {"type":"message_start","message":{}}\n\n' +
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"so far"}}\n\n';

Deno.test("callModel() sends nothing once the signal is aborted", async () => {
  await using server = rawHttpServer(jsonAnswer({}));
  const reason = new Error("enough");
  for (const model of models(server.origin)) {
    const error = await assertRejects(() =>
      model.call(modelCall({ signal: AbortSignal.abort(reason) }))
    );
    assertStrictEquals(error, reason);
  }
  assertEquals(server.requests, []);
});

Deno.test("callModel() rejects with the signal's reason at any moment, and leaves the server", async () => {
  const json = { "content-type": "application/json" };
  const moments: [string, RawAnswer][] = [
    ["before the headers", { ...jsonAnswer({}), end: "silent" }],
    ["before the body", { status: 200, headers: json, pieces: [], end: "open" }],
    ["inside a body", { status: 200, headers: json, pieces: onePiece('{"cho'), end: "open" }],
    ["inside an error", { status: 503, headers: json, pieces: onePiece('{"err'), end: "open" }],
    ["inside a stream", streamAnswer(STREAMED_TEXT, "open")],
  ];
  for (const [moment, answer] of moments) {
    for (const which of [0, 1]) {
      await using server = rawHttpServer(answer);
      const model = models(server.origin, answer.headers !== json)[which]!;
      const controller = new AbortController();
      const reason = new Error(moment);
      const call = model.call(modelCall({
        signal: controller.signal,
        onDelta: () => controller.abort(reason),
      }));
      if (moment !== "inside a stream") {
        await server.clientCame;
        controller.abort(reason);
      }
      assertStrictEquals(await assertRejects(() => call), reason, moment);
      await server.clientLeft;
      assertEquals(server.requests.length, 1);
    }
  }
});

Deno.test("callModel() makes one request whatever becomes of it", async () => {
  const answers: [RawAnswer, string, number][] = [
    [jsonAnswer({ error: { message: "later" } }, 429), "rate_limit", 429],
    [jsonAnswer({ error: { message: "later" } }, 503), "overloaded", 503],
    [{ ...jsonAnswer({}), end: "broken" }, "stream_truncated", 200],
    [streamAnswer("", "broken"), "stream_truncated", 200],
    [{ ...jsonAnswer({}, 307), headers: { location: "/elsewhere" } }, "bad_request", 307],
    [{ ...jsonAnswer({}, 302), headers: { location: "/elsewhere" } }, "bad_request", 302],
  ];
  for (const [answer, kind, status] of answers) {
    await using server = rawHttpServer(answer);
    for (const model of models(server.origin)) {
      const error = await failureOf(model);
      assertEquals([error.kind, error.status], [kind, status]);
    }
    assertEquals(server.requests.length, 2);
  }
});

Deno.test("callModel() says that a server cannot be reached", async () => {
  const origin = closedOrigin();
  for (const model of models(origin)) {
    const error = await failureOf(model);
    assertEquals([error.kind, error.retriable], ["connection", true]);
    assertFalse("status" in error || "partialText" in error || "retryAfterMs" in error);
    assertStringIncludes(
      error.message,
      `Cannot call model "fx" as the server at ${origin} cannot be reached: "`,
    );
    assertStringIncludes(error.message, "onnection refused");
  }
});

Deno.test("callModel() shows no secret in any error, whatever the server says", async () => {
  const echo = `you sent ${KEY}, ${HEADER_SECRET} and ${QUERY_SECRET}`;
  const sse = (said: unknown) => streamAnswer(`${STREAMED_TEXT}data: ${JSON.stringify(said)}\n\n`);
  const echoed = {
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: KEY },
  };
  const answers: RawAnswer[] = [
    jsonAnswer({ error: { message: echo, type: KEY, code: KEY } }, 401),
    jsonAnswer({ detail: echo }, 500),
    jsonAnswer({ error: echo }),
    jsonAnswer({ nothing: echo }),
    { ...jsonAnswer(null), pieces: onePiece(`<p>${echo}`) },
    { ...jsonAnswer(null, 502), pieces: onePiece(`<p>${echo}`) },
    sse({ error: { message: echo } }),
    streamAnswer(`${STREAMED_TEXT}data: {${echo}\n\n`),
    streamAnswer(`data: ${JSON.stringify({ choices: [{ delta: { content: KEY } }] })}\n\n`),
    sse(echoed),
    sse({ choices: [{ delta: {}, finish_reason: "abort" }] }),
    jsonAnswer({ error: { message: "x".repeat(MAX_QUOTED_CHARS - 9) + KEY } }, 400),
  ];
  const secret = /sk-|secret|key\/\+1/;
  for (const answer of answers) {
    await using server = rawHttpServer(answer);
    for (const model of models(server.origin)) {
      const error = await failureOf(model);
      const shown = [
        error.message,
        error.stack ?? "",
        error.partialText ?? "",
        JSON.stringify(error),
        Deno.inspect(error, { depth: 99, showHidden: true }),
      ];
      for (const text of shown) assertFalse(secret.test(text), text);
    }
  }
  for (const model of models(closedOrigin())) {
    const error = await failureOf(model);
    assertFalse(secret.test(Deno.inspect(error, { depth: 99 })));
    assertFalse(error.message.includes("?"), "no query is shown, not even a short one");
  }
});

Deno.test("callModel() quotes a server on one line, cut between characters", async () => {
  const said = `line\none ${"🌊".repeat(1_000)}`;
  await using server = rawHttpServer(jsonAnswer({ error: { message: said } }, 400));
  const [model] = models(server.origin);
  const { message: shown } = await failureOf(model!);
  const quoted = JSON.stringify([...said].slice(0, MAX_QUOTED_CHARS).join("") + "…");
  assertEquals(
    shown,
    `Cannot call model "fx" as the server answered 400 (bad_request): ${quoted}`,
  );
});

Deno.test("callModel() quotes an answer that says nothing as that", async () => {
  await using server = rawHttpServer({ ...jsonAnswer(null, 503), pieces: [] });
  const [model] = models(server.origin);
  assertStringIncludes(
    (await failureOf(model!)).message,
    "answered 503 (overloaded): nothing more",
  );
});

Deno.test("callModel() gives the text so far of an answer that failed", async () => {
  const choice = { message: { content: "some" }, finish_reason: "error" };
  const answers: [RawAnswer, string | undefined][] = [
    [streamAnswer(STREAMED_TEXT, "broken"), "so far"],
    [streamAnswer("", "broken"), ""],
    [jsonAnswer({ choices: [choice] }), "some"],
    [jsonAnswer({ choices: [choice], error: { code: 502, message: "m" } }), "some"],
    [jsonAnswer({ choices: [] }), undefined],
    [jsonAnswer({ choices: [choice] }, 500), undefined],
  ];
  for (const [answer, partialText] of answers) {
    await using server = rawHttpServer(answer);
    const [model] = models(server.origin);
    assertEquals((await failureOf(model!)).partialText, partialText);
  }
});

Deno.test("callModel() never changes the prompt", async () => {
  await using server = rawHttpServer(jsonAnswer({ choices: [] }));
  const messages = [message("user", "a", "", "b\ud83c"), message("tool")];
  const before = structuredClone(messages);
  for (const model of models(server.origin)) await failureOf(model, { messages });
  assertEquals(messages, before);
});
