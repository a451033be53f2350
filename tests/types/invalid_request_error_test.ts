import { assertEquals, assertThrows } from "@std/assert";
import { copyField, InvalidRequestError, messageShape, stringShape } from "../../types/mod.ts";

Deno.test("InvalidRequestError shows what it was given in one line, of an object what it is", () => {
  const shown: readonly (readonly [value: unknown, words: string])[] = [
    [undefined, "nothing"],
    [null, "null"],
    ["two\nlines", '"two\\nlines"'],
    [-3, "-3"],
    [{ runId: "a", budget: {} }, "an object with runId, budget"],
    [{}, "an empty object"],
    [Object.create(null), "an empty object"],
    [[], "[]"],
    [["a", "b"], '["a","b"]'],
    [[{}], "an array of 1 item"],
    [[1, {}], "an array of 2 items"],
    [Promise.resolve(), "an object of the class Promise"],
    [new AbortController(), "an object of the class AbortController"],
    [function openStore() {
      return "in several lines";
    }, "the function openStore"],
    [(() => () => 1)(), "a function"],
    [Proxy.revocable({}, {}), "an object with proxy, revoke"],
    ["x".repeat(300), `"${"x".repeat(199)}…`],
  ];
  for (const [value, words] of shown) {
    const { message } = new InvalidRequestError("field", value, "it is wrong");
    assertEquals(message, `Cannot use "field" as it is wrong: ${words}`);
  }
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  assertEquals(new InvalidRequestError("f", proxy, "w").message, 'Cannot use "f" as w: object');
});

Deno.test("copyField() says of a field that is missing that it is", () => {
  const { message } = assertThrows(
    () => copyField("budget", undefined, stringShape),
    InvalidRequestError,
  );
  assertEquals(message, 'Cannot use "budget" as it is missing: nothing');
});

Deno.test("A text in the place of a message or of its content is refused with what makes one", () => {
  const places = [
    ["hi", "goalLevel[0]", "a message"],
    [{ role: "user", content: "hi" }, "goalLevel[0].content", "an array of blocks"],
  ] as const;
  for (const [given, field, wanted] of places) {
    const error = assertThrows(
      () => copyField("goalLevel[0]", given, messageShape),
      InvalidRequestError,
    );
    assertEquals(
      error.message,
      `Cannot use "${field}" as it must be ${wanted}, as textMessage(role, text) gives it: "hi"`,
    );
  }
});
