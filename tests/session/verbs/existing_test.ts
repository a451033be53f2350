import { assertEquals, assertRejects } from "@std/assert";
import {
  InvalidRequestError,
  ParameterDriftError,
  run,
  RunExistsError,
  RunSuspendedError,
} from "../../../mod.ts";
import { agentOf, hearing, now, requestOf, tellingStore } from "../world.ts";

const RESUME = { now, existing: "resume" } as const;
const suspended = { now, signal: AbortSignal.abort(), onAbort: "suspend" } as const;

Deno.test('run() with existing: "resume" starts, goes on, and gives what has finished', async () => {
  const store = tellingStore();
  const agent = agentOf(["do a", "answer 1"], { store });
  await assertRejects(
    () => run(agent, requestOf(), { ...suspended, existing: "resume" }),
    RunSuspendedError,
  );
  const events = hearing();
  const { answer, steps } = await run(agent, requestOf(), { ...RESUME, events });
  assertEquals([answer, steps.length, events.heard[0]?.type], ["1", 2, "run_resumed"]);
  const asked = store.asked.length;
  const again = await run(agentOf([], { store }), requestOf(), RESUME);
  assertEquals([again.answer, again.steps], [answer, steps]);
  assertEquals(store.asked.slice(asked), ["readRun"]);
});

Deno.test('run() refuses what exists by default, and what has drifted with existing: "resume"', async () => {
  const store = tellingStore();
  const agent = agentOf(["answer 1"], { store });
  await run(agent, requestOf(), { now });
  for (const options of [{ now }, { now, existing: "refuse" } as const]) {
    await assertRejects(() => run(agent, requestOf(), options), RunExistsError);
  }
  await assertRejects(
    () => run(agent, requestOf({ budget: { maxSteps: 7 } }), RESUME),
    ParameterDriftError,
  );
});

Deno.test('run() with existing: "resume" says so if another driver starts the run meanwhile', async () => {
  const store = tellingStore();
  const slow = { ...store, readRun: () => Promise.resolve(null) };
  await run(agentOf(["answer 1"], { store }), requestOf(), { now });
  await assertRejects(
    () => run(agentOf(["answer 1"], { store: slow }), requestOf(), RESUME),
    RunExistsError,
  );
});

Deno.test("run() that was cancelled gives its result where onAbort was set, else the signal's reason", async () => {
  const cancelled = { now, signal: AbortSignal.abort(new RangeError("enough")) };
  const result = await run(agentOf([]), requestOf(), { ...cancelled, onAbort: "finish" });
  assertEquals([result.stopReason, result.steps], ["cancelled", []]);
  for (const options of [cancelled, { ...cancelled, onAbort: undefined }]) {
    // @ts-expect-error: a program without types may say undefined where it means nothing
    await assertRejects(() => run(agentOf([]), requestOf(), options), RangeError, "enough");
  }
});

Deno.test("run() checks again a request and an agent that no definition made, and only those", async () => {
  const store = tellingStore();
  const agent = agentOf(["answer 1"], { store });
  const request = requestOf();
  const budget = { ...request.budget, maxSteps: NaN };
  const refused: readonly (readonly [unknown, unknown, string])[] = [
    [agent, { ...request, budget }, "budget.maxSteps"],
    [agent, { ...request, budget: undefined }, "request"],
    [agent, { ...request, more: 1 }, "more"],
    [agent, { runId: "r", budget: request.budget, context: request.context }, "request"],
    [agent, agent, "request"],
    [agent, null, "request"],
    [agent, "r", "request"],
    [request, agent, "agent"],
    [undefined, request, "agent"],
    [[agent], request, "agent"],
    [{ model: agent.model, interpreter: agent.interpreter, store }, request, "agent"],
    [{ ...agent, model: {} }, request, "model"],
    [{ ...agent, event: 1 }, request, "event"],
  ];
  for (const [givenAgent, givenRequest, field] of refused) {
    const error = await assertRejects(
      // deno-lint-ignore no-explicit-any
      () => run(givenAgent as any, givenRequest as any, { now }),
      InvalidRequestError,
    );
    assertEquals(error.field, field);
  }
  assertEquals(store.asked, []);
  const { stopReason } = await run({ ...agent }, { ...request, runId: "copied" }, { now });
  assertEquals(stopReason, "final_answer");
});
