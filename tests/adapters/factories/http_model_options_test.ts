import { assertEquals, assertFalse, assertThrows } from "@std/assert";
import { anthropicMessagesModel } from "../../../adapters/anthropic_messages_model.ts";
import { chatCompletionsModel } from "../../../adapters/chat_completions_model.ts";
import { scriptedModel } from "../../../adapters/scripted_model.ts";
import { InvalidRequestError } from "../../../types/mod.ts";

const FACTORIES: readonly ((options: object) => unknown)[] = [
  (options) => chatCompletionsModel(Object({ baseUrl: "http://h", model: "m", ...options })),
  (options) =>
    anthropicMessagesModel(Object({ baseUrl: "http://h", model: "m", maxTokens: 1, ...options })),
];

/** Values of every type that is not the right one. */
const WRONG = [
  null,
  0,
  -1,
  NaN,
  true,
  "secret",
  "",
  [],
  {},
  [1],
  [""],
  () => 1,
  Symbol("x"),
  5n,
  new Date(0),
];

/** The options, with the wrong values that are none for them. */
const RIGHT: Readonly<Record<string, (value: unknown) => boolean>> = {
  baseUrl: () => false,
  model: (value) => value === "secret",
  apiKey: (value) => typeof value === "string",
  headers: (value) => typeof value === "function" || isEmptyObject(value),
  idempotencyKey: (value) => value === true,
  timeoutMs: (value) => value === 0,
  idleTimeoutMs: (value) => value === 0,
  stream: (value) => value === true,
  acceptFinishReasons: (value) => Array.isArray(value) && value.length === 0,
  inlineThoughts: () => false,
  echo: (value) => Array.isArray(value) && value.length === 0,
  emptyText: (value) => value === "secret",
  request: isEmptyObject,
};

function isEmptyObject(value: unknown): boolean {
  return value !== null && Object.getPrototypeOf(Object(value)) === Object.prototype;
}

Deno.test("HTTP models refuse a wrong value of every option by its name, and quote no secret", () => {
  for (const make of FACTORIES) {
    for (const [name, isRight] of Object.entries(RIGHT)) {
      for (const value of WRONG) {
        const what = `${name}: ${String(value)}`;
        if (isRight(value)) {
          make({ [name]: value });
          continue;
        }
        const error = assertThrows(() => make({ [name]: value }), Error, undefined, what);
        const { field, path } = Object(error);
        assertEquals(String(field ?? path).split(/[.[]/)[0], name, what);
        if (["baseUrl", "apiKey", "headers"].includes(name)) {
          assertFalse(error.message.includes("secret"), error.message);
        }
      }
    }
  }
});

Deno.test("HTTP models refuse what is no object of options", () => {
  for (const value of [undefined, null, 3, "x", [], () => 1]) {
    for (const make of [chatCompletionsModel, anthropicMessagesModel]) {
      assertThrows(() => make(value as never), InvalidRequestError, "it must be an object");
    }
  }
});

Deno.test("HTTP models refuse members of the request that the adapter writes, and more replies than one", () => {
  const [chat, anthropic] = FACTORIES;
  for (const name of ["model", "messages", "tools", "stream", "n"]) {
    const error = assertThrows(() => chat!({ request: { [name]: 1 } }), InvalidRequestError);
    assertEquals(error.field, `request.${name}`);
  }
  assertThrows(() => anthropic!({ request: { system: "x" } }), InvalidRequestError, "system");
});

Deno.test("HTTP models report how they read and what goes back", () => {
  const options = {
    acceptFinishReasons: ["finished"],
    inlineThoughts: "keep",
    echo: ["seal"],
    emptyText: "-",
  } as const;
  const base = { baseUrl: "http://h", model: "m" };
  for (
    const model of [
      chatCompletionsModel({ ...base, ...options }),
      anthropicMessagesModel({ ...base, ...options, maxTokens: 1 }),
    ]
  ) {
    const { accept_finish_reasons, inline_thoughts, echo, empty_text } = model.parameters();
    assertEquals([accept_finish_reasons, inline_thoughts, echo, empty_text], [
      ...['["finished"]', "keep", '["seal"]', "-"],
    ]);
  }
});

Deno.test("scriptedModel() refuses what is no script", () => {
  for (const script of [undefined, null, 3, "x", {}]) {
    const error = assertThrows(() => scriptedModel(script as never), InvalidRequestError);
    assertEquals(error.field, "script");
  }
});
