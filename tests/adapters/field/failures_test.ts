/** Failures, whatever their words and wherever they stand: their kind, and what they say of the address. */
import { assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import type { JsonValue } from "../../../types/mod.ts";
import { failureOf, modelCall } from "../model_calls.ts";
import { jsonAnswer, type RawAnswer, rawHttpServer, streamAnswer } from "../raw_http_server.ts";
import { ANTHROPIC, CHAT, CHAT_STREAMED, DIALECTS, inTurn, rawAnswer, sse } from "./dialects.ts";

/** From documentation and public reports; the servers are in `docs/providers.md`. */
const OVERFLOWS: readonly JsonValue[] = [
  {
    error: {
      message:
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
      type: "invalid_request_error",
    },
  },
  {
    error: {
      code: 400,
      message:
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      status: "INVALID_ARGUMENT",
    },
  },
  { message: "ValidationException: Input is too long for requested model." },
  {
    error: {
      message: "Please reduce the length of the messages or completion.",
      code: "context_length_exceeded",
    },
  },
  {
    object: "error",
    message:
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    code: "3051",
  },
  {
    error:
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9000>= n_ctx: 4096).",
  },
  { error: { message: "invalid params, context window exceeds limit (2013)" } },
  { error: { message: "Context length exceeded", code: "CONTEXT_LENGTH_EXCEEDED" } },
  { error: { message: "Too long", code: "context_window_exceeded" } },
  { error: { message: "Too long", type: "ContextWindowExceededError" } },
  {
    error: {
      message: "Provider returned error",
      code: 400,
      metadata: { raw: '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}' },
    },
  },
  [{ error: { code: 400, message: "input is too long" } }],
  {
    error: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long" },
    },
  },
];

const RATES: readonly JsonValue[] = [
  { message: "ThrottlingException: Too many tokens, please wait before trying again." },
  {
    error: {
      message:
        "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.",
      code: "rate_limit_exceeded",
    },
  },
  { error: { message: "Resource has been exhausted.", status: "RESOURCE_EXHAUSTED" } },
];

/** A body as an answer of a status, as an event, and without a frame. */
function placesOf(body: JsonValue, status: number): readonly RawAnswer[] {
  const framed = Object(body).error === undefined && !Array.isArray(body) ? { error: body } : body;
  return [
    jsonAnswer(body, status),
    streamAnswer(sse(framed)),
    streamAnswer(`event: error\ndata: ${JSON.stringify(body)}\n\n`),
    streamAnswer(JSON.stringify(body, null, 2)),
  ];
}

Deno.test("a full context window is one in many words, wherever it is said, and is not tried again", async () => {
  const answers = OVERFLOWS.flatMap((body, at) => {
    const places = placesOf(body, 400);
    return [...places.slice(at % places.length), ...places.slice(0, at % places.length)];
  });
  for (const [answer, dialect] of inTurn(answers, DIALECTS)) {
    await using server = rawHttpServer(answer);
    const error = await failureOf(dialect.model(server.origin));
    assertEquals([error.kind, error.retriable], ["context_length", false], error.message);
  }
});

Deno.test("too much in a time is no full window, though it speaks of tokens", async () => {
  for (const body of RATES) {
    for (const answer of placesOf(body, 429)) {
      for (const dialect of [CHAT, ANTHROPIC]) {
        await using server = rawHttpServer(answer);
        const error = await failureOf(dialect.model(server.origin));
        assertEquals([error.kind, error.retriable], ["rate_limit", true], error.message);
      }
    }
  }
});

async function said(path: string, answer: RawAnswer, dialect = CHAT, model = "fx-large") {
  await using server = rawHttpServer(answer);
  const error = await failureOf(dialect.model(`${server.origin}${path}`, { model }));
  const [request] = server.requests;
  return {
    kind: error.kind,
    message: error.message.replaceAll(server.origin, "http://h"),
    path: request?.path,
  };
}

Deno.test("a path that is not there is told from a model that is not, with the address that was asked", async () => {
  const noPath = [
    ...["404 page not found", "Not Found", "", '{"detail":"Not Found"}', "<h1>404</h1>"],
    ...['{"error":{"message":"Unknown request URL: POST /x"}}', '{"error":"Not found"}'],
    '{"error":"path \\"/x\\" not found"}',
    '{"error":"Unexpected endpoint or method. (POST /x)"}',
  ];
  for (const body of noPath) {
    const { kind, message } = await said("?key=secret-1", rawAnswer(body, "text/plain", 404));
    assertEquals(kind, "not_found");
    assertStringIncludes(message, "POST http://h/chat/completions: there is no such path");
    assertStringIncludes(message, "/v1");
    assertFalse(message.includes("secret"), message);
    const versioned = await said("/v1", rawAnswer(body, "text/plain", 404));
    assertStringIncludes(versioned.message, "no such path");
    assertFalse(versioned.message.includes("may lack"), versioned.message);
  }
  const noModel = [
    '{"error":{"message":"model \\"m\\" not found","type":"not_found_error"}}',
    '{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}',
    '{"object":"error","message":"fx-large is unknown here"}',
    '{"error":{"code":"DeploymentNotFound","message":"The API deployment does not exist."}}',
  ];
  for (const body of noModel) {
    const { kind, message } = await said("", rawAnswer(body, "application/json", 404));
    assertEquals(kind, "not_found");
    assertStringIncludes(message, "POST http://h/chat/completions: there is no such model");
    assertFalse(message.includes("/v1"), message);
  }
  const neither = await said("", jsonAnswer({ error: { message: "project 7 is gone" } }, 404));
  assertFalse(/no such/.test(neither.message), neither.message);
  const anthropic = await said("", rawAnswer("", undefined, 404), ANTHROPIC);
  assertStringIncludes(anthropic.message, "POST http://h/v1/messages: there is no such path");
});

Deno.test("an address that ends in the path of the call, or in a part of it, is taken as what it means", async () => {
  const chat: [string, string][] = [
    ["", "/chat/completions"],
    ["/v1", "/v1/chat/completions"],
    ["/v1///", "/v1/chat/completions"],
    ["/v1/chat/completions", "/v1/chat/completions"],
    ["/v1/chat/completions/?a=1", "/v1/chat/completions?a=1"],
    ["/openai/deployments/d/chat/completions?v=2", "/openai/deployments/d/chat/completions?v=2"],
  ];
  const anthropic: [string, string][] = [
    ["", "/v1/messages"],
    ["/v1", "/v1/messages"],
    ["/v1/messages/", "/v1/messages"],
    ["/proxy/messages", "/proxy/messages"],
    ["/proxy", "/proxy/v1/messages"],
  ];
  for (const [dialect, rows] of [[CHAT, chat], [ANTHROPIC, anthropic]] as const) {
    for (const [given, path] of rows) {
      await using server = rawHttpServer(dialect.answer({ text: "ok" }));
      await dialect.model(server.origin + given).call(modelCall());
      assertEquals(server.requests[0]?.path, path, given);
    }
  }
});

Deno.test("a redirect names the origin that it leads to, and nothing goes there", async () => {
  await using elsewhere = rawHttpServer(CHAT.answer({ text: "stolen" }));
  for (const status of [301, 302, 307, 308]) {
    const headers = { location: `${elsewhere.origin}/v1/chat/completions?key=sk-1` };
    for (const dialect of DIALECTS) {
      await using server = rawHttpServer({ ...rawAnswer("", undefined, status), headers });
      const error = await failureOf(dialect.model(server.origin, { apiKey: "sk-secret-1" }));
      assertStringIncludes(error.message, elsewhere.origin);
      assertFalse(/sk-/.test(error.message), error.message);
    }
  }
  assertEquals(elsewhere.requests, []);
  const headers = { location: "/v2/chat/completions/?key=sk-1" };
  const { message } = await said("/v1", { ...rawAnswer("", undefined, 308), headers });
  assertStringIncludes(message, "http://h/v2/chat/completions/, where");
});

Deno.test("an error with a code in band is of the kind of that code", async () => {
  const rows: [JsonValue, string][] = [
    [{ error: { code: 402, message: "m" } }, "quota"],
    [{ error: { code: "insufficient_quota", message: "m" } }, "quota"],
    [{ error: { status: "UNAVAILABLE", message: "m" } }, "overloaded"],
    [{ error: { status: "PERMISSION_DENIED", message: "m" } }, "auth"],
    [{ error: { code: "content_filter", message: "m" } }, "content_policy"],
    [
      { error: { message: "m", innererror: { code: "ResponsibleAIPolicyViolation" } } },
      "content_policy",
    ],
    [{ errors: [{ code: 503, message: "m" }] }, "overloaded"],
    [{ error: "slow down", code: 429 }, "rate_limit"],
    [{ error: { message: "m" }, status: 503 }, "overloaded"],
    [{ status: 503, message: "busy" }, "overloaded"],
    [{ error: { message: "m", status: 504 } }, "timeout"],
  ];
  for (const [body, kind] of rows) {
    await using server = rawHttpServer(streamAnswer(sse(body)));
    assertEquals((await failureOf(CHAT_STREAMED.model(server.origin))).kind, kind);
  }
});

Deno.test("an answer without a word in it is said to be empty", async () => {
  for (const [body, dialect] of inTurn(["", " \r\n"], [CHAT, ANTHROPIC])) {
    const { kind, message } = await said("/v1", rawAnswer(body, "application/json"), dialect);
    assertEquals(
      [kind, /the answer is empty$/.test(message)],
      ["malformed_response", true],
      message,
    );
  }
});
