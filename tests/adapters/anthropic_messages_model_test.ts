import { assertEquals, assertFalse, assertThrows } from "@std/assert";
import {
  anthropicMessagesModel,
  type AnthropicMessagesModelOptions,
} from "../../adapters/anthropic_messages_model.ts";
import { InvalidRequestError } from "../../types/mod.ts";
import { ANTHROPIC_OK as OK, message, modelCall } from "./model_calls.ts";
import { jsonAnswer, rawHttpServer } from "./raw_http_server.ts";

type Options = Partial<AnthropicMessagesModelOptions>;

const text = (said: string) => ({ type: "text", text: said });

Deno.test("anthropicMessagesModel() posts to its path, with version, key and the system apart", async () => {
  await using server = rawHttpServer(jsonAnswer(OK));
  const model = anthropicMessagesModel({
    baseUrl: `${server.origin}/proxy/?x=1`,
    model: "fx",
    maxTokens: 100,
    apiKey: "sk-1",
    headers: { "anthropic-beta": "b" },
    request: { temperature: 0 },
  });
  const messages = [
    message("system", "Be brief.", "Be kind."),
    message("user", "How many?"),
    message("assistant", "Which?"),
    message("system", "Be quick."),
    message("user", "All."),
  ];
  await model.call(modelCall({ messages }));
  const [request] = server.requests;
  assertEquals([request!.method, request!.path], ["POST", "/proxy/v1/messages?x=1"]);
  const header = (name: string) => request!.headers.get(name);
  assertEquals(
    [header("x-api-key"), header("anthropic-version"), header("anthropic-beta")],
    ["sk-1", "2023-06-01", "b"],
  );
  assertEquals(header("authorization"), null);
  assertEquals(JSON.parse(request!.body), {
    model: "fx",
    system: [text("Be brief."), text("Be kind."), text("Be quick.")],
    messages: [
      { role: "user", content: [text("How many?")] },
      { role: "assistant", content: [text("Which?")] },
      { role: "user", content: [text("All.")] },
    ],
    max_tokens: 100,
    temperature: 0,
  });
});

Deno.test("anthropicMessagesModel() refuses options that are not as they must be, and quotes no secret", () => {
  const base = { baseUrl: "http://localhost:1", model: "fx", maxTokens: 1 };
  const wrong: [Options, string][] = [
    [{ model: "" }, "model"],
    [Object({ model: 7 }), "model"],
    [{ maxTokens: 0 }, "maxTokens"],
    [{ maxTokens: 1.5 }, "maxTokens"],
    [{ maxTokens: NaN }, "maxTokens"],
    [{ baseUrl: "secret" }, "baseUrl"],
    [{ apiKey: "secret\nkey" }, "apiKey"],
    ...["model", "max_tokens", "system", "messages", "tools", "stream"].map((
      name,
    ): [Options, string] => [{ request: { [name]: 1 } }, `request.${name}`]),
  ];
  for (const [options, field] of wrong) {
    const error = assertThrows(
      () => anthropicMessagesModel({ ...base, ...options }),
      InvalidRequestError,
    );
    assertEquals(error.field, field);
    assertFalse(/secret/.test(Deno.inspect(error)), Deno.inspect(error));
  }
});
