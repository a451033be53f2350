import { assertEquals, assertRejects } from "@std/assert";
import { resume, run, type RunOptions, RunSuspendedError } from "../../../mod.ts";
import { readLog, rebuildPrompt, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import {
  agentOf,
  type EXECUTED,
  hearing,
  never,
  now,
  requestOf,
  type Said,
  scriptModel,
  shapeOf,
  storeOf,
  wordExecutor,
} from "../world.ts";
import { suspending, untilTold, verified } from "./suspending.ts";

for (const modelReplayPolicy of ["never", "replayable"] as const) {
  Deno.test(`a run may be suspended in its model call any number of times (${modelReplayPolicy})`, async () => {
    const store = memoryStore();
    const prompts: string[] = [];
    const budget = { maxConsecutiveFailures: 2 };
    const request = () => requestOf({ modelReplayPolicy, budget, cancelGraceMs: 1 });
    for (let times = 0; times < 4; times++) {
      const { abort, options } = suspending();
      const model = scriptModel(["do a", ({ signal }) => (abort(), untilTold(signal))]);
      const agent = agentOf(model, { store });
      const driven = times === 0 ? run : resume;
      await assertRejects(() => driven(agent, request(), options), RunSuspendedError);
      const { open, steps, counters } = await verified(store);
      assertEquals([steps.length, counters.withdrawnCalls], [1, times + 1]);
      assertEquals([open?.awaits, open?.withdrawn?.reason], ["reply", "suspended"]);
      assertEquals(open?.withdrawn?.error, undefined);
      prompts.push(model.prompts.at(-1)!);
    }
    const model = scriptModel(["", "answer 1"]);
    const heard = hearing();
    const agent = agentOf(model, { store, events: heard });
    const { stopReason, steps, counters } = await resume(agent, request(), { now });
    assertEquals([stopReason, steps.length, steps[1]?.modelAttempts], ["final_answer", 2, 5]);
    assertEquals([counters.modelCalls, counters.withdrawnCalls], [6, 4]);
    assertEquals(model.calls.map(({ callId, attempt }) => [callId, attempt]), [["r/s1", 5]]);
    assertEquals(new Set([...prompts, ...model.prompts]).size, 1);
    const [resumed] = heard.heard;
    assertEquals(resumed?.type === "run_resumed" && resumed.plan, "ask_again");
    const log = await verified(store);
    const rebuilt = log.callEntries.map((_, call) => JSON.stringify(rebuildPrompt(log, call)));
    assertEquals(new Set(rebuilt.slice(1)).size, 1);
  });
}

Deno.test("a call in flight may go on for the grace time, and then has it once more", async () => {
  const { abort, options } = suspending();
  const order: string[] = [];
  const model = scriptModel([async ({ signal, draining }) => {
    draining.addEventListener("abort", () => order.push("draining"), { once: true });
    abort();
    order.push(`signal ${signal.aborted}`);
    await untilTold(signal).catch(() => order.push("told"));
    return { text: "do a" };
  }]);
  const store = memoryStore();
  const executor = wordExecutor();
  await assertRejects(
    () => run(agentOf(model, { store }), requestOf({ executor, cancelGraceMs: 5 }), options),
    RunSuspendedError,
  );
  assertEquals(order, ["draining", "signal false", "told"]);
  const { open } = await verified(store);
  assertEquals([open?.awaits, open?.reply?.text], ["decision", "do a"]);
  assertEquals(executor.calls, []);
});

Deno.test("what a call brings while the run drains is written as always: a reply, a result, an end", async () => {
  for (
    const [script, expected] of [
      [["answer 1"], "final_answer"],
      [["do a", "answer 1"], "awaits decision"],
    ] as const
  ) {
    const { abort, options } = suspending();
    const store = memoryStore();
    const inner = scriptModel(script);
    const agent = agentOf({ ...inner, call: (call) => (abort(), inner.call(call)) }, { store });
    await assertRejects(() => run(agent, requestOf(), options), RunSuspendedError);
    const { open } = await verified(store);
    assertEquals(open?.awaits, "decision", expected);
    const { stopReason } = await resume(agentOf(script, { store }), requestOf(), { now });
    assertEquals(stopReason, "final_answer");
  }
  const words: readonly (readonly [string, string])[] = [
    ["end", "executed"],
    ["break", "environment_failed"],
    ["throw", "environment_failed"],
  ];
  for (const [word, status] of words) {
    const { abort, options } = suspending();
    const store = memoryStore();
    const inner = wordExecutor();
    const executor = {
      ...inner,
      execute: async (call: Parameters<typeof inner.execute>[0]) => {
        abort();
        await Promise.resolve();
        return await inner.execute(call);
      },
    };
    const agent = agentOf([`do ${word}`, "answer 1"], { store });
    await assertRejects(() => run(agent, requestOf({ executor }), options), RunSuspendedError);
    const { steps, open } = await verified(store);
    assertEquals([steps[0]?.actions[0]?.status, open], [status, undefined]);
  }
});

Deno.test("an action that was cut and did not settle keeps its open intent, whatever it throws then", async () => {
  const cuts: readonly ((signal: AbortSignal) => Promise<typeof EXECUTED>)[] = [
    untilTold,
    () => never(),
    (signal) => untilTold(signal).catch(() => Promise.reject(new TypeError("own trouble"))),
    () => Promise.reject("enough"), // it listens to the caller's own signal
  ];
  for (const cut of cuts) {
    const { abort, options } = suspending();
    const store = memoryStore();
    const execute = ({ signal }: { signal: AbortSignal }) => (abort(), cut(signal));
    const executor = { ...wordExecutor(), execute };
    const request = requestOf({ executor, cancelGraceMs: 1 });
    await assertRejects(() => run(agentOf(["do a"], { store }), request, options));
    assertEquals((await verified(store)).open?.awaits, "action_result");
  }
});

Deno.test("a call whose intent was written and that never started is withdrawn, and made on a resume", async () => {
  for (
    const [count, withdrawn] of [[0, "model_call_withdrawn"], [1, "action_withdrawn"]] as const
  ) {
    const { abort, options } = suspending();
    const store = memoryStore();
    let intents = 0;
    const writeIntent: typeof store.writeIntent = async (...args) => {
      await store.writeIntent(...args);
      if (intents++ === count) abort();
    };
    const [model, executor] = [scriptModel(["do never", "answer 1"]), wordExecutor()];
    const agent = agentOf(model, { store: { ...store, writeIntent } });
    await assertRejects(() => run(agent, requestOf({ executor }), options), RunSuspendedError);
    assertEquals(shapeOf(await store.readRun("r")).at(-1), withdrawn);
    assertEquals([model.calls.length, executor.calls.length], [count, 0]);
    const resumed = agentOf(model, { store });
    const { steps } = await resume(resumed, requestOf({ executor }), { now });
    assertEquals(executor.calls.map(({ attempt }) => attempt), [count + 1]);
    assertEquals([steps[0]?.modelAttempts, steps[0]?.actions[0]?.attempts], [2 - count, 1 + count]);
    await verified(store);
  }
});

Deno.test("an action that was withdrawn is not executed where its run ends instead", async () => {
  const { abort, options } = suspending();
  const store = memoryStore();
  let intents = 0;
  const writeIntent: typeof store.writeIntent = async (...args) => {
    await store.writeIntent(...args);
    if (intents++ === 1) abort();
  };
  const agent = agentOf(["do a"], { store: { ...store, writeIntent } });
  await assertRejects(() => run(agent, requestOf(), options), RunSuspendedError);
  const signal = AbortSignal.abort("stop");
  await resume(agentOf(["do a"], { store }), requestOf(), { now, signal }).catch(() => {});
  const { steps, finished } = await verified(store);
  assertEquals([steps[0]?.outcome, finished?.stopReason], ["cancelled", "cancelled"]);
  assertEquals(steps[0]?.actions[0]?.status, "not_executed");
});

/** Has a first process be suspended in its second model call, and gives what it left. */
async function suspendedInCall(budget: NonNullable<Parameters<typeof requestOf>[0]>["budget"]) {
  const { abort, options } = suspending();
  const store = memoryStore();
  let ms = 0;
  const script: Said[] = ["do a", ({ signal }) => (abort(), ms += 500, untilTold(signal))];
  const request = requestOf({ budget: { ...budget }, cancelGraceMs: 1 });
  const clock: RunOptions["now"] = () => ms;
  await assertRejects(() => run(agentOf(script, { store }), request, { ...options, now: clock }));
  return { store, request };
}

Deno.test("a run ends where its call was withdrawn if it must not be made again: that is no step", async () => {
  const ends = [
    [{ maxModelCalls: 2 }, {}, "model_call_budget_exhausted"],
    [{ maxActiveMs: 400 }, {}, "time_budget_exhausted"],
    [{}, { signal: AbortSignal.abort("stop") }, "cancelled"],
  ] as const;
  for (const [budget, options, reason] of ends) {
    const { store, request } = await suspendedInCall(budget);
    const model = scriptModel([]);
    await resume(agentOf(model, { store }), request, { now, ...options }).catch(() => {});
    assertEquals(model.calls, []);
    const log = await verified(store);
    assertEquals([log.finished?.stopReason, log.steps.length], [reason, 1]);
    assertEquals([log.open?.stepIndex, log.open?.withdrawn?.reason], [1, "suspended"]);
    assertEquals(rebuildPrompt(log, 1).length, 4);
    const again = await resume(agentOf([], { store }), request, { now });
    assertEquals([again.stopReason, again.steps.length], [reason, 1]);
  }
});

Deno.test("a step with a lost attempt ends as unknown where its withdrawn call must not be made again", async () => {
  for (const aborts of [false, true]) {
    const { abort, options } = suspending();
    const first = memoryStore();
    const spec = { modelReplayPolicy: "replayable", budget: { maxModelCalls: 2 } } as const;
    const request = requestOf({ ...spec, cancelGraceMs: 1 });
    await run(agentOf(["answer 1"], { store: first }), request, { now });
    const store = await storeOf((await first.readRun("r"))!.slice(0, 2)); // the call was lost
    const script: Said[] = [({ signal }) => (abort(), untilTold(signal))];
    await assertRejects(() => resume(agentOf(script, { store }), request, options));
    const cancel = aborts ? { signal: AbortSignal.abort("stop") } : {};
    await resume(agentOf([], { store }), request, { now, ...cancel }).catch(() => {});
    const { steps, finished } = readLog((await store.readRun("r"))!);
    assertEquals(steps.map(({ outcome }) => outcome), [
      aborts ? "cancelled" : "model_outcome_unknown",
    ]);
    assertEquals(finished?.stopReason, aborts ? "cancelled" : "model_call_budget_exhausted");
    assertEquals(verifyLog((await store.readRun("r"))!).ok, true);
  }
});

Deno.test("an attempt that a crash lost stays in question where a later one was withdrawn", async () => {
  const { abort, options } = suspending();
  const first = memoryStore();
  const { options: draining, abort: cut } = suspending();
  const hangs = { ...wordExecutor(), execute: () => (cut(), never<typeof EXECUTED>()) };
  const request = (executor: typeof hangs) => requestOf({ executor, cancelGraceMs: 1 });
  await run(agentOf(["do again"], { store: first }), request(hangs), draining).catch(() => {});
  const writeIntent: typeof first.writeIntent = async (...args) => {
    await first.writeIntent(...args);
    abort();
  };
  const agent = agentOf(["do again"], { store: { ...first, writeIntent } });
  await assertRejects(() => resume(agent, request(hangs), options), RunSuspendedError);
  assertEquals(shapeOf(await first.readRun("r")).slice(-2), ["action_intent", "action_withdrawn"]);
  assertEquals((await verified(first)).open?.openAction?.attempts, 2);
  const changed = { ...hangs, replayPolicy: () => "never" as const };
  const last = agentOf(["do again", "answer 1"], { store: first });
  const { steps } = await resume(last, request(changed), { now });
  assertEquals(steps[0]?.actions[0]?.status, "unknown");
  await verified(first);
});
