import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  defineTool,
  type Tool,
  type ToolContext,
  ToolRegistry,
  type ToolTexts,
} from "../../../logic/tools/mod.ts";
import type { ActionExecutor } from "../../../ports/mod.ts";
import {
  actionFate,
  type ActionOutcome,
  EnvironmentError,
  type JsonValue,
} from "../../../types/mod.ts";

function returning(result: unknown, more: { maxObservationChars?: number } = {}): Tool {
  return defineTool({
    name: "give",
    description: "Gives.",
    parameters: { type: "object" },
    execute: () => result,
    ...more,
  });
}

function throwing(error: unknown): Tool {
  return defineTool({
    name: "give",
    description: "Throws.",
    parameters: { type: "object" },
    execute: () => {
      throw error;
    },
  });
}

function execute(
  executor: ActionExecutor,
  action: JsonValue,
  signal = new AbortController().signal,
): Promise<ActionOutcome> {
  return executor.execute({ action, actionId: "run/s0_a0", attempt: 2, signal });
}

function outcomeOf(tool: Tool, texts: Partial<ToolTexts> = {}): Promise<ActionOutcome> {
  return execute(ToolRegistry.of([tool]).executor({ texts }), { tool: "give", arguments: {} });
}

const OBSERVED = { observation: "", observationSynthetic: false, truncatedChars: 0 };
const EXECUTED = { ...OBSERVED, status: "executed", failed: false, completed: false } as const;
const SYNTHETIC = { ...EXECUTED, observationSynthetic: true };
const REFUSED = { ...OBSERVED, observationSynthetic: true, status: "not_executed" } as const;

/** Two tools, and the arguments and contexts that they were executed with. */
function recorded() {
  const calls: [JsonValue, ToolContext][] = [];
  const write = defineTool({
    name: "write",
    description: "Writes a file.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        content: { type: "string" },
        mode: { enum: ["r", "w"] },
        lines: { type: "array", items: { type: "integer" } },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    execute: (args, context) => {
      calls.push([args, context]);
      return "written";
    },
    completes: true,
  });
  const free = defineTool({
    name: "free",
    description: "Takes anything.",
    parameters: {},
    execute: (args, context) => {
      calls.push([args, context]);
    },
    replay: "replayable",
  });
  return { calls, executor: ToolRegistry.of([write, free]).executor() };
}

Deno.test("execute() hands a tool its arguments and context as they are", async () => {
  const { calls, executor } = recorded();
  const signal = new AbortController().signal;
  const args = Object.freeze({ a: [1] });
  await execute(executor, { tool: "free", arguments: args }, signal);
  assertEquals(calls.length, 1);
  assert(calls[0]![0] === args);
  assertEquals(calls[0]![1], { actionId: "run/s0_a0", attempt: 2, signal });
});

Deno.test("execute() refuses a tool that is not there and lists those that are", async () => {
  const { executor } = recorded();
  assertEquals(await execute(executor, { tool: "rm $&", arguments: {} }), {
    ...REFUSED,
    observation:
      'The action was not executed: there is no tool "rm $&". The tools are: free, write.',
  });
  const none = await execute(ToolRegistry.of([]).executor(), { tool: "toString", arguments: {} });
  assertStringIncludes(none.observation, "The tools are: none.");
});

Deno.test("execute() never replaces what it cannot read by empty arguments", async () => {
  const { calls, executor } = recorded();
  const malformed: [JsonValue, string][] = [
    [null, "it is null"],
    ["free", 'it is "free"'],
    [[{}], "it is an array of 1 item"],
    [{}, '"tool" is missing'],
    [{ tool: null, arguments: {} }, '"tool" is null'],
    [{ tool: ["free"], arguments: {} }, '"tool" is an array of 1 item'],
    [{ tool: "free" }, '"arguments" is missing'],
    [{ tool: "free", argument: {} }, '"arguments" is missing'],
    [{ tool: "free", arguments: {}, id: 1 }, 'it has "id" too'],
    [Object.create({ tool: "free", arguments: {} }), '"tool" is missing'],
  ];
  for (const [action, detail] of malformed) {
    assertEquals(await execute(executor, action), {
      ...REFUSED,
      observation:
        `The action was not executed: it must be {"tool": <name>, "arguments": <value>}, but ${detail}.`,
    });
    assertEquals(executor.replayPolicy!(action), "replayable");
  }
  for (const unread of ['{"path":"a","content":"ha', "", null]) {
    const outcome = await execute(executor, { tool: "write", arguments: unread });
    assertEquals(outcome.status, "not_executed");
  }
  assertEquals(calls, []);
});

Deno.test("execute() names every place of the arguments that is wrong", async () => {
  const { calls, executor } = recorded();
  const outcome = await execute(executor, {
    tool: "write",
    arguments: { path: "", mode: "x", lines: [1, "2", 3, 4.5], "a/b~": "$&{found}" },
  });
  assertEquals(outcome, {
    ...REFUSED,
    observation: [
      "The action was not executed: the arguments of write are not valid.",
      '- at "" (required): expected a property "content", found none',
      '- at "/path" (minLength): expected at least 1 character, found 0 characters',
      '- at "/mode" (enum): expected one of ["r","w"], found "x"',
      '- at "/lines/1" (type): expected integer, found "2"',
      '- at "/lines/3" (type): expected integer, found 4.5',
      '- at "/a~1b~0" (additionalProperties): expected no value, found "$&{found}"',
    ].join("\n"),
  });
  assertEquals(calls, []);
});

Deno.test("execute() shortens an endless place", async () => {
  const { executor } = recorded();
  const outcome = await execute(executor, {
    tool: "write",
    arguments: { path: "a", content: 1, ["🌊".repeat(1000)]: 1 },
  });
  assertStringIncludes(outcome.observation, `"/${"🌊".repeat(199)}…" (additionalProperties)`);
});

Deno.test("execute() shows a text as it is and another value as JSON", async () => {
  const shown: [unknown, string][] = [
    ["  text\n", "  text\n"],
    ["", ""],
    [{ b: 1, a: ["x", null], skipped: undefined }, '{"b":1,"a":["x",null]}'],
    [[], "[]"],
    [null, "null"],
    [false, "false"],
    [0, "0"],
    [Promise.resolve("later"), "later"],
  ];
  for (const [result, observation] of shown) {
    assertEquals(await outcomeOf(returning(result)), { ...EXECUTED, observation });
  }
});

Deno.test("execute() says that a result is none, or cannot be shown", async () => {
  const circular: Record<string, unknown> = {};
  circular.self = { circular };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const unshowable: [unknown, string][] = [
    [10n, '$: a value of type "bigint" is not JSON'],
    [{ a: [10n] }, '$.a[0]: a value of type "bigint" is not JSON'],
    [new Map([[1, 2]]), '$: an instance of "Map" is not plain JSON'],
    [{ at: new Date(0) }, '$.at: an instance of "Date" is not plain JSON'],
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
    }, "RangeError: no"],
  ];
  for (const [result, detail] of unshowable) {
    assertEquals(await outcomeOf(returning(result)), {
      ...SYNTHETIC,
      observation: `(The tool give was executed, but its result cannot be shown: ${detail}.)`,
    });
  }
  const cycle = await outcomeOf(returning(circular));
  assertEquals(cycle.status, "executed");
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
    assertEquals(await outcomeOf(throwing(error)), { ...failed, observation });
  }
  assertEquals(await outcomeOf(returning(Promise.reject(new Error("late")))), {
    ...failed,
    observation: "Error: late",
  });
  assertEquals(await outcomeOf(returning(new RangeError("returned"))), {
    ...failed,
    observation: "RangeError: returned",
  });
});

Deno.test("execute() tells a broken environment from a failed action", async () => {
  assertEquals(await outcomeOf(throwing(new EnvironmentError("the disk is gone"))), {
    ...OBSERVED,
    status: "environment_failed",
    observation: "EnvironmentError: the disk is gone",
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

Deno.test("execute() takes its texts from the options", async () => {
  const texts = {
    malformedAction: "M {detail} {other} {toString}",
    unknownTool: "U {tool} {tools}",
    invalidArguments: "I {tool} {violations}",
    violation: "<{pointer} {rule} {expected} {found}>",
    error: "E {name} {message}",
    noResult: "N {tool}",
  };
  const executor = ToolRegistry.of([returning(undefined)]).executor({ texts });
  const observationOf = async (action: JsonValue) => (await execute(executor, action)).observation;
  assertEquals(await observationOf(5), "M it is 5 {other} {toString}");
  assertEquals(await observationOf({ tool: "x", arguments: {} }), 'U "x" give');
  assertEquals(await observationOf({ tool: "give", arguments: 5 }), "I give < type object 5>");
  assertEquals(await observationOf({ tool: "give", arguments: {} }), "N give");
  assertEquals((await outcomeOf(throwing(new Error("x")), texts)).observation, "E Error x");
});

Deno.test("replayPolicy() is the tool's, and replayable for what would be refused", () => {
  const { executor } = recorded();
  const valid = { path: "a", content: "b" };
  const policyOf = (tool: string, args: JsonValue) =>
    executor.replayPolicy!({ tool, arguments: args });
  assertEquals(policyOf("free", {}), "replayable");
  assertEquals(policyOf("write", {}), "replayable");
  assertEquals(policyOf("none", {}), "replayable");
  assertEquals(policyOf("write", valid), "never");
});

Deno.test("completes() is the tool's mark", () => {
  const { executor } = recorded();
  assertEquals(
    ["write", "free", "none", "toString"].map((name) => executor.completes!(name)),
    [true, false, false, false],
  );
});
