import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { defineTool, type ToolContext, ToolRegistry } from "../../../logic/tools/mod.ts";
import type { JsonValue } from "../../../types/mod.ts";
import { execute, outcomeOf, returning, throwing } from "./executed_tools.ts";

const REFUSED = {
  observation: "",
  observationSynthetic: true,
  truncatedChars: 0,
  status: "not_executed",
} as const;

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
