import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type Tool, ToolRegistry } from "../../../logic/tools/mod.ts";
import { actionFate, EnvironmentError } from "../../../types/mod.ts";
import { execute, outcomeOf, returning, throwing, withoutStack } from "./executed_tools.ts";

const OBSERVED = { observation: "", observationSynthetic: false, truncatedChars: 0 };
const EXECUTED = { ...OBSERVED, status: "executed", failed: false, completed: false } as const;
const SYNTHETIC = { ...EXECUTED, observationSynthetic: true };
const UNSHOWABLE = { ...SYNTHETIC, failed: true };

Deno.test("execute() shows a text as it is and another value as JSON", async () => {
  const shown: [unknown, string][] = [
    ["  text\n", "  text\n"],
    ["", ""],
    [{ b: 1, a: ["x", null], skipped: undefined }, '{"b":1,"a":["x",null]}'],
    [[], "[]"],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ at: [new Date(0), new Date(NaN)] }, '{"at":["1970-01-01T00:00:00.000Z",null]}'],
    [new URL("http://a/b"), '"http://a/b"'],
    [
      { a: { toJSON: (key: string) => ({ [key]: new Date(0) }) } },
      '{"a":{"a":"1970-01-01T00:00:00.000Z"}}',
    ],
    [[{ toJSON: (key: string) => key }], '["0"]'],
    [{ toJSON: (key: string) => `[${key}]` }, '"[]"'],
    [{ a: { toJSON: () => undefined } }, "{}"],
    [null, "null"],
    [false, "false"],
    [0, "0"],
    [Promise.resolve("later"), "later"],
  ];
  for (const [result, observation] of shown) {
    assertEquals(await outcomeOf(returning(result)), { ...EXECUTED, observation });
  }
});

Deno.test("execute() says that a result is none, and fails where JSON cannot carry it", async () => {
  const circular: Record<string, unknown> = {};
  circular.self = { circular };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const unshowable: [unknown, string][] = [
    [10n, '$: a value of type "bigint" is not JSON'],
    [{ a: [10n] }, '$.a[0]: a value of type "bigint" is not JSON'],
    [new Map([[1, 2]]), '$: an instance of "Map" is not plain JSON'],
    [[new Set()], '$[0]: an instance of "Set" is not plain JSON'],
    [{ a: new Map() }, '$.a: an instance of "Map" is not plain JSON'],
    [Promise.resolve({ p: Promise.resolve(1) }), '$.p: an instance of "Promise" is not plain JSON'],
    [{ a: [1, { b: { toJSON: () => 5n } }] }, '$.a[1].b: a value of type "bigint" is not JSON'],
    [{ toJSON: () => ({ toJSON: () => 1 }) }, '$.toJSON: a value of type "function" is not JSON'],
    [
      {
        a: {
          toJSON: () => {
            throw new RangeError("no $&");
          },
        },
      },
      "$.a: writing it threw, RangeError: no $&",
    ],
    [[new Error("inner")], '$[0]: an instance of "Error" is not plain JSON'],
    [() => 1, '$: a value of type "function" is not JSON'],
    [Symbol("s"), '$: a value of type "symbol" is not JSON'],
    [NaN, "$: NaN is not a JSON number"],
    [-0, "$: -0 would be read back as 0"],
    [[undefined], '$[0]: a value of type "undefined" is not JSON'],
    [{
      get secret() {
        throw new RangeError("no");
      },
    }, "$.secret: writing it threw, RangeError: no"],
    [
      { a: [revoked.proxy] },
      "$.a[0]: writing it threw, TypeError: Cannot perform 'get' on a proxy that has been revoked",
    ],
    [new Uint8Array(2), '$: an instance of "Uint8Array" is not plain JSON'],
    [new Array(1), '$[0]: a value of type "undefined" is not JSON'],
    [{ [Symbol("s")]: 1 }, "$: a symbol key or a hidden property is not JSON"],
  ];
  for (const [result, detail] of unshowable) {
    const { error, ...outcome } = Object(await outcomeOf(returning(result)));
    assertEquals(outcome, {
      ...UNSHOWABLE,
      observation: `(The tool give was executed, but its result cannot be shown: ${detail}.)`,
    });
    const [, path] = /^(\$.*?):/.exec(detail) ?? [];
    if (path !== undefined) assertStringIncludes(error.message, `Cannot write ${path} as `);
  }
  const cycle = await outcomeOf(returning(circular));
  assertEquals(actionFate(cycle), "failed");
  assertEquals(
    cycle.observation.replace(/(\.self|\.circular)+/, "…"),
    "(The tool give was executed, but its result cannot be shown: " +
      "$….(980 more): it is nested too deep, or holds itself.)",
  );
  assertEquals(await outcomeOf(returning(undefined)), {
    ...SYNTHETIC,
    observation: "(The tool give was executed and returned nothing.)",
  });
});

Deno.test("execute() records what a tool threw as an action that failed", async () => {
  const failed = { ...EXECUTED, failed: true };
  const thrown: [unknown, string][] = [
    [new TypeError("no $& {name}"), "TypeError: no $& {name}"],
    [new DOMException("stop", "AbortError"), "AbortError: stop"],
    ["text", "string: text"],
    [undefined, "undefined: undefined"],
    [Object.create(null), "object: (it cannot be shown as text)"],
  ];
  for (const [error, observation] of thrown) {
    const [, name, message] = /^(.*?): (.*)$/.exec(observation)!;
    assertEquals(withoutStack(await outcomeOf(throwing(error))), {
      ...failed,
      observation,
      error: { name, message },
    });
  }
  assertEquals(withoutStack(await outcomeOf(returning(Promise.reject(new Error("late"))))), {
    ...failed,
    observation: "Error: late",
    error: { name: "Error", message: "late" },
  });
  assertEquals(withoutStack(await outcomeOf(returning(new RangeError("returned")))), {
    ...failed,
    observation: "RangeError: returned",
    error: { name: "RangeError", message: "returned" },
  });
});

Deno.test("execute() keeps the beginning of the stack of what a tool threw", async () => {
  const error = new TypeError("🌊".repeat(3_000));
  const outcome = await outcomeOf(throwing(error));
  assert(outcome.status === "executed" && outcome.failed);
  assertEquals(outcome.error?.stack, `TypeError: ${"🌊".repeat(2_000 - "TypeError: ".length)}`);
  const stackless = Object.assign(new Error("x"), { stack: undefined });
  const { error: info } = Object(await outcomeOf(throwing(stackless)));
  assertEquals(info, { name: "Error", message: "x" });
});

Deno.test("execute() tells a broken environment from a failed action", async () => {
  assertEquals(withoutStack(await outcomeOf(throwing(new EnvironmentError("the disk is gone")))), {
    ...OBSERVED,
    status: "environment_failed",
    observation: "EnvironmentError: the disk is gone",
    error: { name: "EnvironmentError", message: "the disk is gone" },
  });
});

Deno.test("execute() throws what a tool threw once the run is aborted", async () => {
  const aborted = AbortSignal.abort();
  const action = { tool: "give", arguments: {} };
  const executorOf = (tool: Tool) => ToolRegistry.of([tool]).executor();
  const errors = [new RangeError("half done"), new EnvironmentError("gone")];
  for (const error of errors) {
    await assertRejects(
      () => execute(executorOf(throwing(error)), action, aborted),
      Error,
      error.message,
    );
  }
  assertEquals(await execute(executorOf(returning("whole")), action, aborted), {
    ...EXECUTED,
    observation: "whole",
  });
});

Deno.test("execute() cuts at code points and says by how many", async () => {
  const cut = (text: string, maxObservationChars: number, texts = {}) =>
    outcomeOf(returning(text, { maxObservationChars }), texts);
  assertEquals(await cut("🌊🌊🌊", 3), { ...EXECUTED, observation: "🌊🌊🌊" });
  assertEquals(await cut("🌊🌊🌊ab", 2), {
    ...EXECUTED,
    observation: "\n[3 more characters were cut off]\nab",
    truncatedChars: 3,
  });
  assertEquals(await cut("abc", 0, { truncationNotice: "" }), {
    ...EXECUTED,
    truncatedChars: 3,
  });
  const failed = await outcomeOf({ ...throwing(new Error("abcdef")), maxObservationChars: 8 });
  assertEquals([actionFate(failed), failed.truncatedChars], ["failed", 5]);
  assertEquals(failed.observation, "Err\n[5 more characters were cut off]\nbcdef");
  const unshowable = await outcomeOf(returning(10n, { maxObservationChars: 5 }));
  assertStringIncludes(unshowable.observation, "(T\n[");
  assertEquals((await outcomeOf(returning("x".repeat(1_000_000)))).truncatedChars, 0);
});
