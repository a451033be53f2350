import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { run, type StepRecord } from "../../mod.ts";
import { readLog } from "../../session/mod.ts";
import { defineTool } from "../../logic/tools/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  hearing,
  never,
  now,
  rejection,
  requestOf,
  type Said,
  wordExecutor,
} from "../session/world.ts";
import { calling, counting, nativeCase } from "./agents.ts";

Deno.test("run() aborted during a tool calls nothing more and ends as cancelled, whether the tool throws, obeys or never answers", async () => {
  for (const manner of ["throws", "obeys", "never"]) {
    const controller = new AbortController();
    const tool = defineTool({
      name: "work",
      description: "Works.",
      parameters: { type: "object" },
      execute: (_, { signal }) => {
        controller.abort("stop");
        if (manner === "throws") throw new Error("aborted");
        return manner === "never" ? never<string>() : Promise.reject(signal.reason);
      },
    });
    const { agent, request, model, store } = nativeCase([calling("work"), calling("work")], [tool]);
    assertEquals(await rejection(run(agent, request, { now, signal: controller.signal })), "stop");
    const { steps, finished } = readLog((await store.readRun("case"))!);
    assertEquals({ modelCalls: model.calls.length, steps: steps.length }, {
      modelCalls: 1,
      steps: 1,
    });
    assertEquals([finished?.stopReason, steps[0]?.outcome], ["cancelled", "cancelled"]);
    assertEquals(steps[0]?.actions[0]?.status, "unknown");
  }
});

Deno.test("run() with an aborted signal ends at once, without a call or a step", async () => {
  const reason = new Error("too late");
  const { agent, request, model, store } = nativeCase(["hello"], []);
  const signal = AbortSignal.abort(reason);
  assertStrictEquals(await rejection(run(agent, request, { now, signal })), reason);
  const { steps, finished } = readLog((await store.readRun("case"))!);
  assertEquals({
    modelCalls: model.calls.length,
    steps: steps.length,
    stopReason: finished?.stopReason,
  }, { modelCalls: 0, steps: 0, stopReason: "cancelled" });
});

Deno.test("run() settles within the grace time though the model's answer stays open for ever", async () => {
  const controller = new AbortController();
  const model = counting(() => {
    controller.abort("stop");
    return never();
  });
  const store = memoryStore();
  const running = run(agentOf(model, { store }), requestOf(), { now, signal: controller.signal });
  assertEquals(await rejection(running), "stop");
  const { finished } = readLog((await store.readRun("r"))!);
  assertEquals({ modelCalls: model.count(), abandoned: finished?.abandoned }, {
    modelCalls: 1,
    abandoned: ["r/s0"],
  });
});

Deno.test("a finish that claims tool calls but brings none is an invalid decision, counted as a failure", async () => {
  const claim = { text: "", finishReason: "tool_calls" } as const;
  for (const reply of [claim, { ...claim, toolCalls: [] }]) {
    const budget = {
      maxSteps: 50,
      maxModelCalls: 50,
      maxPromptChars: 10_000,
      maxConsecutiveFailures: 2,
    };
    const { agent, request } = nativeCase(Array(50).fill(reply), [], { budget });
    const { stopReason, steps } = await run(agent, request, { now });
    assertEquals({ stopReason, steps: steps.length }, {
      stopReason: "invalid_decisions",
      steps: 2,
    });
    assert(steps.every(({ outcome }: StepRecord) => outcome === "invalid_decision"));
  }
});

Deno.test("a finish reason that nobody knows is recorded, and a reply without calls is no answer then", async () => {
  const reply = { text: "Hello!", finishReason: "unknown", rawFinishReason: "STOP_V2" } as const;
  const { agent, request, model } = nativeCase(Array(20).fill(reply), []);
  const { stopReason, answer, steps } = await run(agent, request, { now });
  assertEquals({ stopReason, answer, modelCalls: model.calls.length }, {
    stopReason: "invalid_decisions",
    answer: undefined,
    modelCalls: 3,
  });
  assertEquals(steps[0]?.reply?.rawFinishReason, "STOP_V2");
});

Deno.test("a step limit and another limit both hold", async () => {
  const rows = [[3, 5, "step_budget_exhausted", 3], [
    5,
    3,
    "model_call_budget_exhausted",
    3,
  ]] as const;
  for (const [maxSteps, maxModelCalls, reason, steps] of rows) {
    const budget = { maxSteps, maxModelCalls };
    const result = await run(agentOf(Array(9).fill("do a")), requestOf({ budget }), { now });
    assertEquals([result.stopReason, result.steps.length], [reason, steps]);
  }
});

Deno.test("the reason of an end is in the result, the log and the event, with every condition that was true", async () => {
  const store = memoryStore();
  const events = hearing();
  const budget = { maxSteps: 2, maxModelCalls: 2 };
  const agent = agentOf(["do a", "do b"], { store, events });
  const { stopReason, stopConditions } = await run(agent, requestOf({ budget }), { now });
  const both = ["step_budget_exhausted", "model_call_budget_exhausted"];
  assertEquals([stopReason, [...stopConditions]], [both[0], both]);
  const { finished } = readLog((await store.readRun("r"))!);
  const event = events.heard.at(-1);
  assert(event?.type === "run_finished");
  for (const told of [finished!, event]) {
    assertEquals([told.stopReason, [...told.stopConditions]], [both[0], both]);
  }
});

Deno.test("a call counts when its intent is written, whatever becomes of its reply", async () => {
  const script: Said[] = Array(9).fill("cannot be parsed");
  const budget = { maxModelCalls: 4, maxConsecutiveFailures: 9 };
  const { stopReason, counters } = await run(agentOf(script), requestOf({ budget }), { now });
  assertEquals({ stopReason, modelCalls: counters.modelCalls }, {
    stopReason: "model_call_budget_exhausted",
    modelCalls: 4,
  });
});

Deno.test("a limit gives a result with the whole trajectory, and throws nothing", async () => {
  const script: Said[] = [{ text: "do a", usage: { outputTokens: 60 } }, {
    text: "do b",
    usage: { outputTokens: 60 },
  }];
  const result = await run(agentOf(script), requestOf({ budget: { maxTotalTokens: 100 } }), {
    now,
  });
  assertEquals({ stopReason: result.stopReason, totalTokens: result.counters.totalTokens }, {
    stopReason: "token_budget_exhausted",
    totalTokens: 120,
  });
  assertEquals(result.steps.map(({ actions }) => actions[0]?.observation), ["did a", "did b"]);
});

Deno.test("zero steps is a normal run, and each step is recorded and emitted once", async () => {
  for (const maxSteps of [0, 1, 3]) {
    const events = hearing();
    const agent = agentOf(Array(9).fill("do a"), { events });
    const { steps } = await run(agent, requestOf({ budget: { maxSteps } }), { now });
    const emitted = events.heard.filter((event) => event.type === "step_recorded");
    const expected = Array.from({ length: maxSteps }, (_, i) => i);
    assertEquals(emitted.map(({ step }) => step.stepIndex), expected);
    assertEquals(steps.map(({ stepIndex }) => stepIndex), expected);
  }
});

Deno.test("equal actions in a row stop the run with a reason of their own, where that is asked for", async () => {
  const script = ["do a", "do b", "do b", "gibberish", "do b", "do b", "do b", "answer 1"];
  for (
    const [maxIdenticalActions, reason, steps] of [[3, "repeated_action", 7], [
      4,
      "final_answer",
      8,
    ]] as const
  ) {
    const executor = wordExecutor();
    const budget = { maxIdenticalActions };
    const result = await run(agentOf(script), requestOf({ executor, budget }), { now });
    assertEquals([result.stopReason, result.steps.length], [reason, steps]);
  }
});
