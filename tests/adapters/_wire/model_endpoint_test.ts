import { assertEquals, assertFalse, assertStringIncludes, assertThrows } from "@std/assert";
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { retryingModel } from "../../../adapters/retrying_model.ts";
import type { ModelPort } from "../../../ports/mod.ts";
import { InvalidRequestError } from "../../../types/mod.ts";
import { ANTHROPIC_OK, CHAT_OK, failureOf, modelCall } from "../model_calls.ts";
import { jsonAnswer, rawHttpServer } from "../raw_http_server.ts";

const OK = jsonAnswer({ ...CHAT_OK, ...ANTHROPIC_OK });

/** Each model at a server, with more options. */
function models(baseUrl: string, more: object): readonly ModelPort[] {
  const options = { baseUrl, model: "fx", apiKey: "sk-secret-1", ...more };
  return [chatCompletionsModel(options), anthropicMessagesModel({ ...options, maxTokens: 1 })];
}

Deno.test("a model makes headers from the call and the binding, and shows none of them", async () => {
  const headers = (call: object) => ({
    "x-call": JSON.stringify(call),
    authorization: "Token made-secret-1",
  });
  await using server = rawHttpServer(OK);
  for (const model of models(server.origin, { headers })) {
    await model.call(modelCall({ callId: "r/s3", attempt: 2, binding: { tenant: "a" } }));
  }
  for (const { headers } of server.requests) {
    const call = { callId: "r/s3", attempt: 2, binding: { tenant: "a" } };
    assertEquals(JSON.parse(headers.get("x-call") ?? ""), call);
    assertEquals(headers.get("authorization"), "Token made-secret-1");
  }
  await using echoing = rawHttpServer(jsonAnswer({ error: "you are made-secret-1" }, 500));
  for (const model of models(echoing.origin, { headers })) {
    assertFalse((await failureOf(model)).message.includes("made-secret-1"));
  }
});

Deno.test("a model whose headers cannot be had sends nothing", async () => {
  const makers: readonly (readonly [unknown, string])[] = [
    [() => {
      throw new Error("made-secret-1");
    }, "the function that makes its headers threw"],
    [() => null, "did not return a map of strings"],
    [() => ({ "x-n": 5 }), "did not return a map of strings"],
    [() => Promise.resolve({}), "did not return a map of strings"],
    [() => ({ "x y": "made-secret-1" }), "HTTP cannot carry the name or value of headers.x y"],
    [() => ({ x: "made-secret-1\n2" }), "HTTP cannot carry the name or value of headers.x"],
  ];
  await using server = rawHttpServer(OK);
  for (const [headers, said] of makers) {
    for (const model of models(server.origin, { headers })) {
      const error = await failureOf(model);
      assertEquals([error.kind, error.retriable], ["bad_request", false]);
      assertStringIncludes(error.message, said);
      assertFalse(error.message.includes("made-secret-1"));
    }
  }
  assertEquals(server.requests.length, 0);
});

Deno.test("a model refuses headers that are no map of strings, without showing them", () => {
  const secret = { authorization: "made-secret-1" };
  for (const headers of [new Headers(secret), new Map(Object.entries(secret)), [secret], "x", 5]) {
    const refuse = () => models("http://127.0.0.1:1", { headers });
    const { field, message } = assertThrows(refuse, InvalidRequestError);
    assertEquals([field, message.includes("made-secret-1")], ["headers", false]);
  }
});

Deno.test("a model sends an Idempotency-Key that names the request or the call, if it is told to", async () => {
  const keysOf = async (idempotencyKey: unknown, around: (model: ModelPort) => ModelPort) => {
    await using server = rawHttpServer(OK);
    for (const model of models(server.origin, { idempotencyKey })) {
      await around(model).call(modelCall({ callId: "r/s3", attempt: 2 }));
    }
    const keys = server.requests.map(({ headers }) => headers.get("idempotency-key"));
    assertEquals(keys[0], keys[1]);
    return keys[0];
  };
  const bare = (model: ModelPort) => model;
  assertEquals(await keysOf(undefined, bare), null);
  assertEquals(await keysOf(false, bare), null);
  assertEquals(await keysOf(true, bare), "r/s3#2");
  assertEquals(await keysOf("call", bare), "r/s3");
  assertEquals(await keysOf(true, (model) => retryingModel(model)), "r/s3#2.1");
  assertEquals(await keysOf("call", (model) => retryingModel(model)), "r/s3");
  for (const idempotencyKey of ["request", 1, null]) {
    const refuse = () => models("http://127.0.0.1:1", { idempotencyKey });
    assertEquals(assertThrows(refuse, InvalidRequestError).field, "idempotencyKey");
  }
});

Deno.test("a model follows no redirect, and names where it leads", async () => {
  await using elsewhere = rawHttpServer(OK);
  const target = (server: string, location: string) => ({
    ...jsonAnswer({ secret: "page" }, 307),
    headers: { location: location.replace("SAME", server) },
  });
  const cases = [
    [`${elsewhere.origin}/v1?key=sk-secret-1`, elsewhere.origin],
    ["http://", "an address that cannot be read"],
    ["file:///etc/passwd", "an address of file:"],
    ["data:text/plain,x", "an address of data:"],
  ] as const;
  for (const [location, named] of cases) {
    await using server = rawHttpServer(target("", location));
    for (const model of models(server.origin, {})) {
      const error = await failureOf(model);
      assertEquals({ kind: error.kind, retriable: error.retriable, status: error.status }, {
        kind: "bad_request",
        retriable: false,
        status: 307,
      });
      assertStringIncludes(
        error.message,
        `the server answered 307: it sends the request on to ${named},`,
      );
      assertFalse(error.message.includes("sk-secret"));
    }
    assertEquals(server.requests.length, 2);
  }
  await using server = rawHttpServer(target("", "/elsewhere"));
  const error = await failureOf(chatCompletionsModel({ baseUrl: server.origin, model: "fx" }));
  assertStringIncludes(error.message, `it sends the request on to ${server.origin}/elsewhere,`);
  assertEquals(elsewhere.requests.length, 0);
});
