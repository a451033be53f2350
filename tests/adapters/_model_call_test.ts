import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
} from "@std/assert";
import { callModel, MAX_ANSWER_BYTES, MAX_ERROR_BYTES } from "../../adapters/_model_call.ts";
import { AnthropicMessagesReader } from "../../adapters/_anthropic_messages_reply.ts";
import { ChatCompletionsReader } from "../../adapters/_chat_completions_reply.ts";
import { MAX_QUOTED_CHARS } from "../../adapters/_model_endpoint.ts";
import { MAX_LINE_LENGTH } from "../../adapters/_sse.ts";
import { toolNames } from "../../adapters/_tool_names.ts";
import { anthropicMessagesModel } from "../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../adapters/chat_completions_model.ts";
import type { ModelPort } from "../../ports/mod.ts";
import { ModelCallError, type ModelReply } from "../../types/mod.ts";
import { failureOf, message, modelCall } from "./model_calls.ts";
import {
  jsonAnswer,
  onePiece,
  type RawAnswer,
  rawHttpServer,
  streamAnswer,
} from "./raw_http_server.ts";

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

// What follows needs many or large answers, and no network: a local response stands for the server's.

const NAMES = toolNames([], 64);
const READERS = {
  openai: () => new ChatCompletionsReader(NAMES),
  anthropic: () => new AnthropicMessagesReader(NAMES),
};

function read(response: Response, dialect: keyof typeof READERS): Promise<ModelReply> {
  return callModel(
    {
      post: () => Promise.resolve(response),
      withoutSecrets: (text) => text,
      quote: (text) => JSON.stringify(text.slice(0, 100)),
    },
    {
      model: "fx",
      stream: true,
      prepare: () => ({ body: null, reader: READERS[dialect]() }),
    },
    new AbortController().signal,
  );
}

async function fixture(id: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(new URL(`../testdata/wire/fixtures/${id}`, import.meta.url));
}

const SSE = { headers: { "content-type": "text/event-stream" } };
const JSON_TYPE = { headers: { "content-type": "application/json" } };

Deno.test("callModel() never takes a cut answer for another one", async () => {
  for (
    const [id, dialect] of [
      ["oa-sse-tool.sse", "openai"],
      ["oa-sse-tool-interleaved.sse", "openai"],
      ["oa-sse-reasoning.sse", "openai"],
      ["oa-sse-utf8-split.sse", "openai"],
      ["an-sse-tool.sse", "anthropic"],
      ["an-sse-thinking.sse", "anthropic"],
      ["oa-json-tool-parallel.json", "openai"],
      ["an-json-tool-use.json", "anthropic"],
    ] as const
  ) {
    const bytes = await fixture(id);
    const type = id.endsWith(".sse") ? SSE : JSON_TYPE;
    const whole = await read(new Response(bytes, type), dialect);
    let complete = 0;
    for (let size = 0; size < bytes.length; size++) {
      try {
        const reply = await read(new Response(bytes.slice(0, size), type), dialect);
        assertEquals(reply, whole, `${id} cut at ${size}`);
        complete++;
      } catch (error) {
        assert(error instanceof ModelCallError && error.retriable, `${id} cut at ${size}`);
        const kind = type === SSE ? "stream_truncated" : "malformed_response";
        assertEquals(error.kind, kind, `${id} cut at ${size}`);
      }
    }
    assert(complete < bytes.length / 4, `${id}: ${complete} cuts were complete`);
  }
});

Deno.test("callModel() reads any shape as a reply or as a typed error", async () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const junk = [
    "null",
    "0",
    "-1",
    "1e400",
    "true",
    '""',
    '"x"',
    "[]",
    "{}",
    "[null]",
    "[{}]",
    deep,
  ];
  let readings = 0;
  for await (
    const { name } of Deno.readDir(new URL("../testdata/wire/fixtures", import.meta.url))
  ) {
    const dialect = name.startsWith("an-") ? "anthropic" : "openai";
    const text = new TextDecoder().decode(await fixture(name));
    const isStream = name.endsWith(".sse");
    for (const mutated of mutations(text, junk)) {
      try {
        const reply = await read(new Response(mutated, isStream ? SSE : JSON_TYPE), dialect);
        assertEquals(typeof reply.text, "string");
        for (const call of reply.toolCalls ?? []) assertEquals(typeof call.rawArguments, "string");
      } catch (error) {
        assert(error instanceof ModelCallError, `${mutated.slice(0, 500)}: ${error}`);
      }
      readings++;
    }
  }
  assert(readings > 5_000, `${readings}`);
});

/** A text with each JSON value of it replaced by each piece of junk; of a stream the values of three events. */
function* mutations(text: string, junk: readonly string[]): Generator<string> {
  const values = /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+|null|true|false|\[\]|\{\}/g;
  const containers = /(?<=[:,]\s*)[[{]/g;
  const spots = [...text.matchAll(values)].map(({ index, 0: value }) => [index, value.length]);
  for (const { index } of text.matchAll(containers)) {
    spots.push([index, endOfValue(text, index) - index]);
  }
  const step = Math.max(1, Math.floor(spots.length / 12));
  for (let i = 0; i < spots.length; i += step) {
    const [start, length] = spots[i] as [number, number];
    for (const piece of junk) yield text.slice(0, start) + piece + text.slice(start + length);
  }
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if ("[{".includes(text[i]!)) depth++;
    if ("]}".includes(text[i]!) && --depth === 0) return i + 1;
  }
  return text.length;
}

/** Gives a piece again and again, until it is no longer wanted. */
function endless(piece: Uint8Array): { body: ReadableStream<Uint8Array>; given: () => number } {
  let given = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += piece.length;
      controller.enqueue(piece);
    },
  });
  return { body, given: () => given };
}

Deno.test("callModel() ends on an answer that does not", async () => {
  const blank = new Uint8Array(1024 * 1024).fill(0x20);
  const comments = new TextEncoder().encode(`: ${"x".repeat(1_000)}\n`.repeat(1_000));
  const lineOnly = new Uint8Array(1024 * 1024).fill(0x78);
  const cases: [Uint8Array, ResponseInit, string, number][] = [
    [blank, JSON_TYPE, `larger than ${MAX_ANSWER_BYTES} bytes`, MAX_ANSWER_BYTES],
    [comments, SSE, `larger than ${MAX_ANSWER_BYTES} bytes`, MAX_ANSWER_BYTES],
    [lineOnly, SSE, `longer than ${MAX_LINE_LENGTH} characters`, MAX_LINE_LENGTH],
    [blank, { ...JSON_TYPE, status: 503 }, "answered 503 (overloaded)", MAX_ERROR_BYTES],
  ];
  for (const [piece, init, said, limit] of cases) {
    const { body, given } = endless(piece);
    const error = await assertRejects(
      () => read(new Response(body, init), "openai"),
      ModelCallError,
      said,
    );
    const isOverload = init.status === 503;
    assertEquals(error.kind, isOverload ? "overloaded" : "malformed_response");
    assertEquals(error.retriable, isOverload);
    assert(given() <= limit + 3 * piece.length, `${given()} bytes were read`);
  }
});

Deno.test("callModel() takes time by an answer's length, not by its square", async () => {
  const count = 200_000;
  const whole = { function: { name: "n", arguments: { a: 1 } } };
  const body = { choices: [{ message: { tool_calls: Array(count).fill(whole) } }] };
  const many = await read(new Response(JSON.stringify(body), JSON_TYPE), "openai");
  assertEquals(many.toolCalls?.length, count);

  const piece = { index: 0, function: { name: "n", arguments: '{"a":"}' } };
  const event = `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [piece] } }] })}\n\n`;
  const stream = `${event.repeat(count)}data: [DONE]\n\n`;
  const one = await read(new Response(stream, SSE), "openai");
  assertEquals(one.toolCalls?.map((call) => call.argumentsError), ["invalid_json"]);
  assertEquals(one.toolCalls?.[0]?.rawArguments.length, 7 * count);

  const content = Array(count).fill({ type: "tool_use", id: "t", name: "n", input: { a: 1 } });
  const uses = await read(new Response(JSON.stringify({ content }), JSON_TYPE), "anthropic");
  assertEquals(uses.toolCalls?.at(-1)?.rawArguments, '{"a":1}');
});

Deno.test("callModel() stops reading where the stream says that it is over", async () => {
  const encoder = new TextEncoder();
  for (
    const [last, dialect] of [["[DONE]", "openai"], [
      '{"type":"message_stop"}',
      "anthropic",
    ]] as const
  ) {
    let cancelled = false;
    const start = '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}';
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(encoder.encode(`data: ${start}\n\ndata: ${last}\n\n`)),
      cancel: () => void (cancelled = true),
    });
    assertEquals((await read(new Response(body, SSE), dialect)).text, "");
    assert(cancelled);
  }
});

Deno.test("callModel() never changes the prompt", async () => {
  await using server = rawHttpServer(jsonAnswer({ choices: [] }));
  const messages = [message("user", "a", "", "b\ud83c"), message("tool")];
  const before = structuredClone(messages);
  for (const model of models(server.origin)) await failureOf(model, { messages });
  assertEquals(messages, before);
});
