import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type ActionOutcome,
  type ActionRecord,
  defineTool,
  EnvironmentError,
  run,
  type RunOptions,
  type Tool,
  ToolRegistry,
} from "../../../mod.ts";
import { PortContractError } from "../../../types/mod.ts";
import { toolOutcome } from "../../../logic/tools/mod.ts";
import { jsonActionInterpreter } from "../../../adapters/json_action_interpreter.ts";
import { readLog, type RunLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { forged } from "../logs/forged.ts";
import { agentOf, hearing, now, rejection, requestOf, wordExecutor } from "../world.ts";
import { withShortWaits } from "../short_waits.ts";

const CALL = '{"tool": "give", "arguments": {}}';
const ANSWER = '{"final_answer": 1}';

/** A run whose one action is a call of a tool. */
async function called(
  execute: () => unknown,
  more: Partial<Tool> = {},
  options: RunOptions = {},
): Promise<
  { readonly lines: readonly string[]; readonly log: RunLog; readonly action: ActionRecord }
> {
  const store = memoryStore();
  const give = defineTool({ name: "give", description: "", parameters: {}, execute });
  const tools = ToolRegistry.of([{ ...give, ...more }]);
  const agent = agentOf([CALL, ANSWER], { store, interpreter: jsonActionInterpreter() });
  await run(agent, requestOf({ executor: tools.executor(), tools }), { now, ...options });
  const lines = (await store.readRun("r"))!;
  assertEquals(verifyLog(lines).fault, undefined);
  const log = readLog(lines);
  return { lines, log, action: log.steps[0]!.actions[0]! };
}

const throwing = (error: unknown) => () => {
  throw error;
};

Deno.test("the record of a failed action has what its tool threw, and the prompt has no stack", async () => {
  for (const error of [new TypeError("no"), new EnvironmentError("no")]) {
    const { action, lines } = await called(throwing(error));
    const info = Object(action).error;
    assertEquals([info.name, info.message], [error.name, "no"]);
    assertStringIncludes(info.stack, "tool_results_test.ts");
    assertEquals(action.observation, `${error.name}: no`);
    assert(lines.some((line) => line.includes("tool_results_test.ts")));
  }
});

Deno.test("run() records no stack where recordStacks is false", async () => {
  const options = { recordStacks: false };
  for (const error of [new TypeError("no"), new EnvironmentError("no")]) {
    const { action, lines } = await called(throwing(error), {}, options);
    assertEquals(Object(action).error, { name: error.name, message: "no" });
    assert(!lines.some((line) => line.includes("tool_results_test.ts")));
  }
  const { steps } = await run(agentOf(["do throw", "answer 1"]), requestOf(), options);
  const error = { name: "TypeError", message: "cannot throw" };
  assertEquals(Object(steps[0]?.actions[0]).error, error);
});

Deno.test("run() records the stack of what an executor threw, and cuts an outcome's own", async () => {
  const { steps } = await run(agentOf(["do throw", "answer 1"]), requestOf(), { now });
  assertStringIncludes(Object(steps[0]?.actions[0]).error.stack, "world.ts");
  const error = { name: "E", message: "m", stack: "🌊".repeat(2_001) };
  const seen = { observation: "o", observationSynthetic: false, truncatedChars: 0 };
  const executor = wordExecutor(() =>
    Promise.resolve({ ...seen, status: "executed", failed: true, completed: false, error })
  );
  const { steps: cut } = await run(agentOf(["do a", "answer 1"]), requestOf({ executor }), { now });
  assertEquals(Object(cut[0]?.actions[0]).error, { ...error, stack: "🌊".repeat(2_000) });
});

Deno.test("run() takes a broken environment's error with its own words, and with none", async () => {
  const error = { name: "E", message: "m" };
  const seen = { observation: "o", observationSynthetic: false, truncatedChars: 0 };
  const outcomes: [Partial<ActionOutcome>, string, string][] = [
    [{}, "o", "E"],
    [{ observation: "" }, "The environment failed while the action was running.", "E"],
    [
      { observationSynthetic: true },
      "The environment failed while the action was running.",
      PortContractError.name,
    ],
  ];
  for (const [change, observation, name] of outcomes) {
    const store = memoryStore();
    const executor = wordExecutor(() =>
      Promise.resolve({ ...seen, status: "environment_failed", error, ...change })
    );
    const request = requestOf({ executor, budget: { maxConsecutiveFailures: 1 } });
    const { steps } = await run(agentOf(["do a"], { store }), request, { now });
    const action = steps[0]?.actions[0];
    assertEquals([action?.observation, Object(action).error.name], [observation, name]);
    assertEquals(verifyLog((await store.readRun("r"))!).fault, undefined);
  }
});

Deno.test("a tool's own outcome is on record, and may complete the run", async () => {
  const done = await called(() => toolOutcome({ observation: "all pass", completed: true }));
  assertEquals(done.log.finished?.stopReason, "environment_completed");
  const refused = await called(() =>
    toolOutcome({ observation: "not on Sundays", notExecuted: true })
  );
  assertEquals([refused.action.status, refused.action.attempts], ["not_executed", 1]);
});

Deno.test("a result that JSON cannot carry is a failed action that names its place", async () => {
  const { action } = await called(() => ({ a: [1, new Date(0), new Map()] }));
  assert(action.status === "executed" && action.failed);
  assertStringIncludes(action.observation, '$.a[2]: an instance of "Map" is not plain JSON');
  assertStringIncludes(action.error?.message ?? "", "$.a[2]");
});

Deno.test("a tool that was given up is on record as of unknown effect, and as one that may go on", () =>
  withShortWaits(async () => {
    const { log, lines, action } = await called(() => new Promise(() => {}), { timeoutMs: 1 });
    assert(action.status === "environment_failed");
    assertEquals([action.effect, action.error], ["unknown", undefined]);
    assertStringIncludes(action.observation, "Nobody knows whether it took effect");
    assertEquals(log.steps[0]?.outcome, "environment_failed");
    assertEquals(log.finished?.abandoned, ["r/s0_a0"]);
    for (
      const abandoned of [["r/s0_a0", "r/s0_a0"], ["r/s0_a1"], ["r/s0"]]
    ) {
      const { fault } = verifyLog(
        forged(
          lines,
          (record) => record.type === "run_finished" ? { ...record, abandoned } : record,
        ),
      );
      assertEquals(fault?.code, "finish");
    }
    const { fault } = verifyLog(forged(lines, (record) => {
      const { effect: _, ...known } = Object(record);
      return known;
    }));
    assertEquals(fault?.code, "finish");
  }));

Deno.test("run_suspended has the stack of what an interpreter or a callback threw, unless it is not wanted", async () => {
  const interpreter = { interpret: throwing(new TypeError("mine")), parameters: () => ({}) };
  const approveAction = { id: "me", decide: throwing(new TypeError("mine")) };
  const world = [
    [{ interpreter }, {}],
    [{}, { approveAction }],
  ] as const;
  for (const [spec, options] of world) {
    for (const recordStacks of [true, false]) {
      const events = hearing();
      const agent = agentOf(["do a"], { events, ...spec });
      await rejection(run(agent, requestOf(), { now, recordStacks, ...options }));
      const { why, error } = Object(events.heard.at(-1));
      assertEquals([why, error.name, error.message], ["error", "TypeError", "mine"]);
      assertEquals(error.stack?.includes("tool_results_test.ts"), recordStacks || undefined);
    }
  }
});
