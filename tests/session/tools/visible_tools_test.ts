import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type ApproveAction,
  type DecisionInterpreter,
  defineRun,
  defineTool,
  InvalidRequestError,
  resume,
  run,
  ToolRegistry,
} from "../../../mod.ts";
import { jsonActionInterpreter } from "../../../adapters/json_action_interpreter.ts";
import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import { readLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { forged } from "../logs/forged.ts";
import {
  agentOf,
  commands,
  hearing,
  never,
  now,
  rejection,
  requestOf,
  type Said,
  shapeOf,
  wordExecutor,
  WORLD_TOOLS,
} from "../world.ts";

const HIDDEN = 'The action was not executed: there is no tool "drop". The tools are: submit, the.';

Deno.test("run() executes no action whose tool is hidden, asks nobody, and writes no intent", async () => {
  const executor = wordExecutor();
  const asked: string[] = [];
  const approveAction: ApproveAction = {
    id: "me",
    decide: ({ toolName = "" }) => (asked.push(toolName), { allow: true }),
  };
  const store = memoryStore();
  const events = hearing();
  const script = ["use drop x; use the word; do as you like", "answer 1"];
  const agent = agentOf(script, { store, events, protocol: "native" });
  const request = requestOf({ executor, toolProtocol: "native" });
  const { steps } = await run(agent, request, { now, approveAction });

  const [hidden, ...others] = steps[0]!.actions;
  assertEquals([hidden?.status, hidden?.attempts], ["not_executed", 0]);
  assertEquals([hidden?.observation, hidden?.observationSynthetic], [HIDDEN, true]);
  assertEquals(others.map(({ status }) => status), ["executed", "executed"]);
  assertEquals(executor.calls.map(({ toolName }) => toolName), ["the", undefined]);
  assertEquals(asked, ["the", ""]);
  const told = events.heard.filter(({ type }) => type.startsWith("action_"));
  assertEquals(told.map(({ type }) => type), [
    "action_finished",
    ...["action_started", "action_finished", "action_started", "action_finished"],
  ]);
  const lines = (await store.readRun("r"))!;
  assertEquals(shapeOf(lines)[2], "model_reply decision action_result");
  assertEquals(verifyLog(lines).fault, undefined);
});

Deno.test("run() checks no visibility without a registry", async () => {
  const executor = wordExecutor();
  await run(agentOf(["use drop x", "answer 1"]), requestOf({ executor }), { now });
  assertEquals(executor.calls.map(({ toolName }) => toolName), ["drop"]);
});

Deno.test("run() shows hidden tools by the agent's own text, which is in the snapshot", async () => {
  const store = memoryStore();
  const syntheticObservations = { toolNotVisible: "{tool}? {visible}! {tools}" };
  const agent = agentOf(["use drop x", "answer 1"], { store, syntheticObservations });
  const { steps } = await run(agent, requestOf({ tools: WORLD_TOOLS }), { now });
  assertEquals(steps[0]?.actions[0]?.observation, '"drop"? submit, the! {tools}');
  const { started } = readLog((await store.readRun("r"))!);
  const key = "definition.synthetic_observation.tool_not_visible";
  assertEquals(started.parameters[key], "{tool}? {visible}! {tools}");
});

const TOOLS = ToolRegistry.of(["read", "drop"].map((name) =>
  defineTool({
    name,
    description: "",
    parameters: { type: "object" },
    execute: () => `${name} ran`,
  })
));

/** Each interpreter's way to call a tool, and to answer. */
const WAYS: readonly (readonly [DecisionInterpreter, readonly Said[]])[] = [
  [jsonActionInterpreter(), ['{"tool": "drop", "arguments": {}}', '{"final_answer": 1}']],
  [
    nativeToolsInterpreter(),
    [
      { text: "", toolCalls: [{ name: "drop", arguments: {}, rawArguments: "{}" }] },
      "1",
    ],
  ],
];

Deno.test("a hidden tool is refused in the words of the registry's executor, by each interpreter", async () => {
  const tools = TOOLS.subset(["read"]);
  const call = { actionId: "r/s0_a0", attempt: 1, signal: new AbortController().signal };
  const action = { tool: "drop", arguments: {} };
  const { observation } = await tools.executor().execute({ action, ...call });
  const { toolNames: _, ...silent } = TOOLS.executor();
  for (const [interpreter, script] of WAYS) {
    for (const executor of [undefined, silent]) {
      const { executor: __, ...spec } = requestOf();
      const request = defineRun({ ...spec, tools, ...(executor && { executor }) });
      const { steps } = await run(agentOf(script, { interpreter }), request, { now });
      assertEquals(steps[0]?.actions[0]?.observation, observation);
    }
  }
});

Deno.test("resume() executes no hidden tool either", async () => {
  const store = memoryStore();
  const executor = wordExecutor();
  const script = ["use drop x", "answer 1"];
  const broken = { ...commands(), interpret: () => Promise.reject(new Error("not now")) };
  const request = requestOf({ tools: WORLD_TOOLS, executor });
  await rejection(run(agentOf(script, { store, interpreter: broken }), request, { now }));
  const { steps } = await resume(agentOf(script, { store }), request, { now });
  assertEquals([executor.calls.length, steps[0]?.actions[0]?.observation], [0, HIDDEN]);
});

Deno.test("defineRun() takes the executor of its tools, and refuses one that reaches hidden ones", async () => {
  const { executor: _, ...spec } = requestOf();
  const request = defineRun({ ...spec, tools: TOOLS });
  const [interpreter, script] = WAYS[0]!;
  const { steps } = await run(agentOf(script, { interpreter }), request, { now });
  assertEquals(steps[0]?.actions[0]?.observation, "drop ran");
  const tools = TOOLS.subset(["read"]);
  const error = await rejection(
    Promise.try(() => defineRun({ ...spec, tools, executor: TOOLS.executor() })),
  );
  assert(error instanceof InvalidRequestError);
  assertEquals<unknown>([error.field, error.value], ["executor.toolNames", ["drop"]]);
  defineRun({ ...spec, tools: TOOLS, executor: tools.executor() });
});

/** Logs in which a hidden tool was tried, or refused in other words, with what is wrong. */
const FORGERIES: readonly (readonly [string, string, object, string])[] = [
  ["other words", "action_result", { observation: "no" }, "other words"],
  ["not the library's", "action_result", { observationSynthetic: false }, "other words"],
  ["cut words", "action_result", { truncatedChars: 1 }, "other words"],
  ["a denial", "action_result", { denial: { by: "me" } }, "not visible"],
  ["words of a skip", "action_result", {
    observation: "The action was not tried because the step had ended.",
  }, "other words"],
];

Deno.test("verifyLog() finds what is wrong with an action whose tool is hidden", async () => {
  const store = memoryStore();
  const agent = agentOf(["use drop x"], { store });
  await run(agent, requestOf({ tools: WORLD_TOOLS, budget: { maxSteps: 1 } }), { now });
  const lines = (await store.readRun("r"))!;
  assertEquals(verifyLog(lines).fault, undefined);
  for (const [what, type, change, words] of FORGERIES) {
    const { fault } = verifyLog(
      forged(lines, (record) => record.type === type ? { ...record, ...change } : record),
    );
    assertEquals(fault?.code, "step_words", what);
    assertStringIncludes(fault?.message ?? "", words);
  }
});

Deno.test("verifyLog() finds that a hidden tool was tried", async () => {
  const store = memoryStore();
  const agent = agentOf(["use drop x"], { store });
  await run(agent, requestOf({ budget: { maxSteps: 1 } }), { now });
  const lines = forged((await store.readRun("r"))!, (record) => {
    if (record.type !== "run_started") return record;
    const { parameters, inputs } = record;
    const tools = WORLD_TOOLS.schemaForModel();
    return {
      ...record,
      parameters: { ...parameters, "request.tools": "submit,the" },
      inputs: inputs && { ...inputs, tools },
    };
  });
  const { fault } = verifyLog(lines);
  assertEquals(fault?.code, "step_words");
  assertStringIncludes(fault?.message ?? "", "not visible");
});

Deno.test("run() tells a skipped action from a hidden one by whether its turn came", async () => {
  const store = memoryStore();
  const agent = agentOf(["use submit x; use drop y"], { store, protocol: "native" });
  const { steps } = await run(agent, requestOf({ toolProtocol: "native" }), { now });
  assertStringIncludes(steps[0]?.actions[1]?.observation ?? "", "was not tried");
  assertEquals(verifyLog((await store.readRun("r"))!).fault, undefined);
});

Deno.test("a hidden action stays refused where the run is cancelled after it", async () => {
  const controller = new AbortController();
  const store = memoryStore();
  const executor = wordExecutor(() => (controller.abort(), never()));
  const agent = agentOf(["use drop x; do hang; use drop y"], { store, protocol: "native" });
  const { signal } = controller;
  await rejection(run(agent, requestOf({ executor, toolProtocol: "native" }), { now, signal }));
  const lines = (await store.readRun("r"))!;
  const { steps } = readLog(lines);
  assertEquals(steps[0]?.actions.map(({ status }) => status), [
    "not_executed",
    "unknown",
    "not_executed",
  ]);
  assertEquals(steps[0]?.actions[0]?.observation, HIDDEN);
  assertEquals(verifyLog(lines).fault, undefined);
});

Deno.test("a hidden action among actions that run at once is refused before any is executed", async () => {
  const store = memoryStore();
  const executor = { ...wordExecutor(), concurrent: () => true };
  const script = ["use submit a; use drop b; use the c"];
  const agent = agentOf(script, { store, protocol: "native" });
  const request = requestOf({ executor, toolProtocol: "native", maxConcurrentActions: 3 });
  const { steps } = await run(agent, request, { now });
  const [done, hidden, beside] = steps[0]!.actions;
  assertEquals([done?.status, beside?.status], ["executed", "executed"]);
  assertEquals([hidden?.status, hidden?.observation], ["not_executed", HIDDEN]);
  const lines = (await store.readRun("r"))!;
  assertEquals(verifyLog(lines).fault, undefined);
  assertEquals(shapeOf(lines)[2], "model_reply decision action_result action_intent action_intent");
});
