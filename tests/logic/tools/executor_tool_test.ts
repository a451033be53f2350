import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  executorTool,
  type ExecutorToolSpec,
  type Tool,
  ToolRegistry,
} from "../../../logic/tools/mod.ts";
import type { ActionCall, ActionExecutor } from "../../../ports/mod.ts";
import {
  actionFate,
  type ActionOutcome,
  EnvironmentError,
  InvalidRequestError,
  type JsonValue,
} from "../../../types/mod.ts";
import { execute } from "./executed_tools.ts";

const OBSERVED = { observation: "o", observationSynthetic: false, truncatedChars: 0 };

const PARAMETERS = {
  type: "object",
  properties: { word: { type: "string" } },
  required: ["word"],
} as const;

/** An executor whose actions say what becomes of them. */
function wordExecutor(outcome?: unknown): ActionExecutor & { readonly calls: ActionCall[] } {
  const calls: ActionCall[] = [];
  return {
    calls,
    execute: (call) => {
      calls.push(call);
      const { word } = call.action as { word: string };
      if (word === "break") return Promise.reject(new EnvironmentError("no shell"));
      const given = outcome ?? {
        ...OBSERVED,
        status: "executed",
        failed: word === "fail",
        completed: false,
        truncatedChars: 3,
      };
      return Promise.resolve(given as ActionOutcome);
    },
    replayPolicy: (action) => (action as { word: string }).word === "read" ? "replayable" : "never",
    concurrent: (action) => (action as { word: string }).word === "read",
    completes: (toolName) => toolName === "submit",
    parameters: () => ({ kind: "words", limit: "5" }),
  };
}

const SPEC: ExecutorToolSpec<typeof PARAMETERS> = {
  name: "say",
  description: "Says it.",
  parameters: PARAMETERS,
  action: ({ word }) => ({ word }),
};

const say = (word: string): JsonValue => ({ tool: "say", arguments: { word } });

Deno.test("executorTool() does what the executor does, as it says", async () => {
  const words = wordExecutor();
  const tools = ToolRegistry.of([executorTool(words, SPEC)]);
  const executor = tools.executor();
  const outcome = await execute(executor, say("fail"));
  assertEquals<object>(outcome, {
    ...OBSERVED,
    status: "executed",
    failed: true,
    completed: false,
    truncatedChars: 3,
  });
  const [call] = words.calls;
  assertEquals(
    [call?.action, call?.toolName, call?.actionId, call?.attempt],
    [{ word: "fail" }, "say", "run/s0_a0", 2],
  );
  assertEquals(actionFate(await execute(executor, say("hi"))), "executed");
  assertEquals((await execute(executor, say("break"))).status, "environment_failed");
  assertEquals((await execute(executor, { tool: "say", arguments: {} })).status, "not_executed");
  assertEquals(words.calls.length, 3);
});

Deno.test("executorTool() hands every kind of an outcome on", async () => {
  const outcomes: ActionOutcome[] = [
    { ...OBSERVED, status: "not_executed", observationSynthetic: true },
    { ...OBSERVED, status: "environment_failed", effect: "unknown" },
    { ...OBSERVED, status: "executed", failed: false, completed: true },
  ];
  for (const outcome of outcomes) {
    const tools = ToolRegistry.of([executorTool(wordExecutor(outcome), SPEC)]);
    assertEquals(await execute(tools.executor(), say("x")), outcome);
  }
});

Deno.test("what an executor throws, or gives of another shape, breaks the environment behind a tool, too", async () => {
  const { parameters } = wordExecutor();
  const broken: [ActionExecutor["execute"], string][] = [
    [() => Promise.reject(new RangeError("no shell")), "RangeError: no shell"],
    [() => Promise.reject(new EnvironmentError("no shell")), "EnvironmentError: no shell"],
    [() => {
      throw new RangeError("no shell");
    }, "RangeError: no shell"],
    [() => Promise.resolve({ status: "done" } as never), "PortContractError: "],
    [() => Promise.resolve(undefined as never), "PortContractError: "],
  ];
  for (const [run, said] of broken) {
    const tools = ToolRegistry.of([executorTool({ execute: run, parameters }, SPEC)]);
    const { error, ...outcome } = Object(await execute(tools.executor(), say("x")));
    assertEquals(outcome, { ...OBSERVED, observation: "", status: "environment_failed" });
    assert(`${error.name}: ${error.message}`.startsWith(said), error.message);
  }
});

Deno.test("executorTool() asks the executor of each action", () => {
  const tool: Tool = executorTool(wordExecutor(), SPEC);
  const executor = ToolRegistry.of([tool]).subset(["say"]).executor();
  for (
    const [word, policy, concurrent] of [
      ["read", "replayable", true],
      ["write", "never", false],
    ] as const
  ) {
    assertEquals(executor.replayPolicy!(say(word)), policy);
    assertEquals(executor.concurrent!(say(word)), concurrent);
  }
  const bare = executorTool({ ...wordExecutor(), ...NO_WORD }, SPEC);
  const silent = ToolRegistry.of([bare]).executor();
  assertEquals(silent.replayPolicy!(say("read")), "never");
  assertEquals(silent.concurrent!(say("read")), false);
  assertEquals(executor.completes!("say"), false);
  const submit = ToolRegistry.of([executorTool(wordExecutor(), { ...SPEC, name: "submit" })]);
  assertEquals(submit.executor().completes!("submit"), true);
});

const NO_WORD: object = { replayPolicy: undefined, concurrent: undefined, completes: undefined };

Deno.test("arguments of which no action can be made run nothing", async () => {
  const words = wordExecutor();
  const action = () => {
    throw new RangeError("no such word");
  };
  const executor = ToolRegistry.of([executorTool(words, { ...SPEC, action })]).executor();
  assertEquals(executor.replayPolicy!(say("x")), "replayable");
  assertEquals(executor.concurrent!(say("x")), true);
  const outcome = await execute(executor, say("x"));
  assertEquals([actionFate(outcome), outcome.observation], ["failed", "RangeError: no such word"]);
  assertEquals(words.calls, []);
});

Deno.test("the executor's parameters are in the digest of its tool", () => {
  const digestOf = (parameters: Record<string, string>) =>
    ToolRegistry.of([executorTool({ ...wordExecutor(), parameters: () => parameters }, SPEC)])
      .toolDigest("say");
  assertEquals(digestOf({ a: "1", b: "2" }), digestOf({ b: "2", a: "1" }));
  assert(digestOf({ a: "1" }) !== digestOf({ a: "2" }));
});

Deno.test("executorTool() refuses what is no executor, and fields that are not as they must be", () => {
  const wrong: [unknown, object, string][] = [
    [undefined, {}, "executor"],
    [{ execute: () => {} }, {}, "executor"],
    [wordExecutor(), { action: undefined }, "action"],
    [wordExecutor(), { name: "a b" }, "name"],
    [wordExecutor(), { replay: "never" }, "replay"],
  ];
  for (const [executor, change, field] of wrong) {
    const make = () => executorTool(executor as ActionExecutor, { ...SPEC, ...change });
    assertEquals(assertThrows(make, InvalidRequestError).field, field);
  }
});

Deno.test("an aborted executor's rejection is the tool's", async () => {
  const executor = wordExecutor();
  const rejecting = { ...executor, execute: () => Promise.reject(new Error("half done")) };
  const tools = ToolRegistry.of([executorTool(rejecting, SPEC)]);
  await assertRejects(
    () => execute(tools.executor(), say("x"), AbortSignal.abort()),
    Error,
    "half done",
  );
});
