import { assertEquals, assertFalse, assertThrows } from "@std/assert";
import {
  chatCompletionsModel,
  type ChatCompletionsModelOptions,
} from "../../adapters/chat_completions_model.ts";
import { InvalidRequestError, SerializationError } from "../../types/mod.ts";
import { CHAT_OK as OK, chatExchange as exchange, message, modelCall } from "./model_calls.ts";
import { jsonAnswer, rawHttpServer } from "./raw_http_server.ts";

type Options = Partial<ChatCompletionsModelOptions>;

Deno.test("chatCompletionsModel() posts a prompt of every role to its path", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = chatCompletionsModel({
    baseUrl: `${server.origin}/v1/?api-version=2`,
    model: "fx",
    apiKey: "sk-1",
    headers: { "X-Title": "wells" },
  });
  const messages = [
    message("system", "Be brief."),
    message("user", "How many?"),
    message("assistant", "Which?"),
    message("user", "All."),
  ];
  await model.call(modelCall({ messages }));
  const [request] = server.requests;
  assertEquals([request!.method, request!.path], ["POST", "/v1/chat/completions?api-version=2"]);
  assertEquals(request!.headers.get("authorization"), "Bearer sk-1");
  assertEquals(request!.headers.get("content-type"), "application/json");
  assertEquals(request!.headers.get("x-title"), "wells");
  assertEquals(JSON.parse(request!.body), {
    model: "fx",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How many?" },
      { role: "assistant", content: "Which?" },
      { role: "user", content: "All." },
    ],
  });
});

Deno.test("chatCompletionsModel() sends no Authorization without a key, and the caller's own before its own", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  await chatCompletionsModel({ baseUrl: server.origin, model: "fx" }).call(modelCall());
  await chatCompletionsModel({
    baseUrl: server.origin,
    model: "fx",
    apiKey: "sk-1",
    headers: { Authorization: "Basic eA==" },
  }).call(modelCall());
  const sent = server.requests.map(({ headers }) => headers.get("authorization"));
  assertEquals(sent, [null, "Basic eA=="]);
});

Deno.test("chatCompletionsModel() sends the members of request, and asks for usage in a stream", async () => {
  const request = { temperature: 0.5, parallel_tool_calls: false };
  const plain = await exchange({}, { request });
  assertEquals(Object.keys(plain.sent), [
    "model",
    "messages",
    "temperature",
    "parallel_tool_calls",
  ]);
  const streamed = await exchange({}, { stream: true });
  assertEquals(streamed.sent.stream, true);
  assertEquals(streamed.sent.stream_options, { include_usage: true });
  const told = await exchange({}, { stream: true, request: { stream_options: null } });
  assertEquals(told.sent.stream_options, null);
});

Deno.test("chatCompletionsModel() reports what it sends, and neither place nor secrets", () => {
  const request = { temperature: 0.5, stop: ["b", "a"], extra_body: { z: 1, a: 2 } };
  const options = {
    baseUrl: "http://secret-host.example/v1?key=secret-query",
    model: "fx",
    apiKey: "sk-secret-key",
    headers: { "x-api-key": "secret-header" },
    stream: true,
    request,
  };
  const model = chatCompletionsModel(options);
  request.stop.push("later");
  assertEquals(model.parameters(), {
    kind: "chat_completions",
    model: "fx",
    accept_finish_reasons: "[]",
    inline_thoughts: "split",
    echo: "all",
    empty_text: "(empty)",
    "request.temperature": "0.5",
    "request.stop": '["b","a"]',
    "request.extra_body": '{"a":2,"z":1}',
  });
  const shown = Deno.inspect(model, { depth: 99, showHidden: true, getters: true });
  assertFalse(/secret/.test(shown), shown);
});

Deno.test("chatCompletionsModel() refuses options that are not as they must be, and quotes no secret", () => {
  const base = { baseUrl: "http://localhost:1/v1", model: "fx" };
  const wrong: [Options, string][] = [
    [{ model: "" }, "model"],
    [Object({ model: 7 }), "model"],
    [{ baseUrl: "localhost/v1" }, "baseUrl"],
    [{ baseUrl: "file:///secret" }, "baseUrl"],
    [{ baseUrl: "http://user:secret@localhost/" }, "baseUrl"],
    [{ baseUrl: "http://secret@localhost/" }, "baseUrl"],
    [{ apiKey: "secret\nkey" }, "apiKey"],
    [{ headers: { "x-k": "secret\r\nx" } }, "headers.x-k"],
    [{ headers: { "bad name": "secret" } }, "headers.bad name"],
    [{ request: { model: "other" } }, "request.model"],
    [{ request: { messages: [] } }, "request.messages"],
    [{ request: { tools: [] } }, "request.tools"],
    [{ request: { stream: true } }, "request.stream"],
  ];
  for (const [options, field] of wrong) {
    const error = assertThrows(
      () => chatCompletionsModel({ ...base, ...options }),
      InvalidRequestError,
    );
    assertEquals(error.field, field);
    assertFalse(/secret/.test(Deno.inspect(error)), Deno.inspect(error));
  }
  assertThrows(
    () => chatCompletionsModel({ ...base, request: { seed: NaN } }),
    SerializationError,
    "request.seed",
  );
});
