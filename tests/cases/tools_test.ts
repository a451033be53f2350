import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Message, run } from "../../mod.ts";
import { readLog, rebuildPrompt } from "../../session/mod.ts";
import { defineTool, type Tool } from "../../logic/tools/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { agentOf, now, rejection, requestOf, wordExecutor } from "../session/world.ts";
import { calling, nativeCase } from "./agents.ts";

function toolOf(
  execute: (args: unknown) => unknown,
  parameters: object = { type: "object" },
): Tool {
  const described = { name: "write", description: "Writes.", parameters: parameters as never };
  return defineTool({ ...described, execute: execute as Tool["execute"] });
}

/** The ids of the calls and of the results in a prompt, in order. */
function idsIn(messages: readonly Message[]): readonly (readonly string[])[] {
  const blocks = messages.flatMap(({ content }) => content);
  return [
    blocks.flatMap((block) => block.type === "tool_call" ? [block.toolCallId] : []),
    blocks.flatMap((block) => block.type === "tool_result" ? [block.toolCallId] : []),
  ];
}

const BROKEN = {
  name: "write",
  arguments: null,
  rawArguments: '{"path": "a',
  argumentsError: "cut off",
};

Deno.test("malformed arguments are quoted and make no call; history is valid for the provider", async () => {
  const executed: unknown[] = [];
  const script = [{ toolCalls: [BROKEN] }, calling("write", { path: "a" }), "done"];
  const { agent, request, model } = nativeCase(script, [
    toolOf((args) => void executed.push(args)),
  ]);
  const { steps } = await run(agent, request, { now });
  assertEquals(steps[0]?.outcome, "invalid_decision");
  assertEquals(steps[0]?.reply?.toolCalls?.[0]?.rawArguments, BROKEN.rawArguments);
  for (const { messages } of model.calls) {
    const [calls, results] = idsIn(messages);
    assertEquals(calls, results);
  }
  const shown = JSON.stringify(model.calls[1]?.messages);
  assertStringIncludes(shown, JSON.stringify(`They were: ${BROKEN.rawArguments}`).slice(1, -1));
  assertEquals(executed, [{ path: "a" }]);
});

Deno.test("the model is told every failing path of its arguments with the rule", async () => {
  const parameters = {
    type: "object",
    properties: { path: { type: "string" }, lines: { type: "array", items: { type: "integer" } } },
    required: ["path", "mode"],
  };
  const script = [calling("write", { path: 5, lines: [1, "x"] }), "done"];
  const { agent, request } = nativeCase(script, [toolOf(() => "", parameters)]);
  const { steps } = await run(agent, request, { now });
  const [action] = steps[0]!.actions;
  assertEquals([action?.status, steps[0]?.outcome], ["not_executed", "acted"]);
  for (const part of ["/path", "/lines/1", "mode", "type", "required"]) {
    assert(action!.observation.includes(part), action!.observation);
  }
});

Deno.test("arguments that cannot be read are never replaced by {}", async () => {
  const executed: unknown[] = [];
  const script = [
    { toolCalls: [{ ...BROKEN, rawArguments: "[object Object]" }] },
    calling("write", '{"path":"a"}'),
    calling("write", { path: "b" }),
    "done",
  ];
  const { agent, request } = nativeCase(script, [toolOf((args) => void executed.push(args))]);
  const { steps } = await run(agent, request, { now });
  assertEquals(executed, [{ path: "b" }]);
  assertEquals(steps[1]?.actions[0]?.status, "not_executed");
});

Deno.test("a call that an output limit cut is not repaired and not executed", async () => {
  const executed: unknown[] = [];
  const cut = {
    name: "write",
    arguments: null,
    rawArguments: '{"text": "half',
    argumentsError: "cut off",
  };
  for (
    const reply of [
      { toolCalls: [cut], finishReason: "length" },
      { toolCalls: [{ name: "write", arguments: { text: "half" } }], finishReason: "length" },
    ] as const
  ) {
    const { agent, request } = nativeCase([reply, "done"], [
      toolOf((args) => void executed.push(args)),
    ]);
    const { steps } = await run(agent, request, { now });
    assertEquals([steps[0]?.outcome, executed.length], ["invalid_decision", 0]);
  }
});

Deno.test("history has ids of its own, however often a provider repeats its id", async () => {
  const twice = [1, 2].map((n) => ({ id: "call_0", name: "write", arguments: { n } }));
  const script = [{ toolCalls: twice }, { toolCalls: twice }, "done"];
  const { agent, request, model } = nativeCase(script, [toolOf(() => "ok")]);
  await run(agent, request, { now });
  const [calls, results] = idsIn(model.calls.at(-1)!.messages);
  assertEquals([calls, results], [
    ["s0_a0", "s0_a1", "s1_a0", "s1_a1"],
    ["s0_a0", "s0_a1", "s1_a0", "s1_a1"],
  ]);
});

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

Deno.test("a result that no JSON shows is a defined observation, and the step is kept", async () => {
  const results = [
    cyclic,
    1n,
    { n: NaN },
    new Map([["a", 1]]),
    new Date(0),
    () => 1,
    undefined,
    Symbol("s"),
  ];
  for (const result of [...results, new Error("as a value")]) {
    const store = memoryStore();
    const { agent, request } = nativeCase(
      [calling("write"), "done"],
      [toolOf(() => result)],
      {},
      store,
    );
    const { stopReason, steps } = await run(agent, request, { now });
    assertEquals([stopReason, steps[0]?.outcome], ["final_answer", "acted"]);
    assertEquals(steps[0]?.actions[0]?.status, "executed");
    assert(steps[0]!.actions[0]!.observation !== "");
    assertEquals(readLog((await store.readRun("case"))!).steps, [...steps]);
  }
});

Deno.test("an action that no JSON shows is an error before anything of it is written", async () => {
  for (const action of [cyclic, 1n, new Date(0), [undefined]]) {
    const store = memoryStore();
    const interpreter = {
      interpret: () => ({ decision: { kind: "action", actions: [{ action }] }, historyText: "" }),
      parameters: () => ({}),
    };
    const executor = wordExecutor();
    const agent = agentOf(["x"], { store, interpreter: interpreter as never });
    const error = await rejection(run(agent, requestOf({ executor }), { now }));
    assertEquals([(error as Error).name, executor.calls.length], ["PortContractError", 0]);
    assertEquals(readLog((await store.readRun("r"))!).open?.awaits, "decision");
  }
});

Deno.test("an aborted tool has a status of its own, and no observation that it did not give", async () => {
  const controller = new AbortController();
  const executor = wordExecutor(() => {
    controller.abort(new Error("aborted"));
    return Promise.reject(new Error("aborted"));
  });
  const store = memoryStore();
  const running = run(agentOf(["do a"], { store }), requestOf({ executor }), {
    now,
    signal: controller.signal,
  });
  assertEquals(((await rejection(running)) as Error).message, "aborted");
  const log = readLog((await store.readRun("r"))!);
  const [action] = log.steps[0]!.actions;
  assertEquals([action?.status, action?.observationSynthetic], ["unknown", true]);
  assert(!action!.observation.includes("aborted"));
  assertEquals(rebuildPrompt(log, 0).length, 2);
});
