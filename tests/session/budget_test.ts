import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type Budget,
  resume,
  run,
  RunExistsError,
  RunNotFoundError,
  type RunStore,
  type StepRecord,
  type StopReason,
  textMessage,
} from "../../mod.ts";
import { verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  hearing,
  never,
  now,
  requestOf,
  type Said,
  scriptModel,
  shapeOf,
  wordExecutor,
} from "./world.ts";

Deno.test("run() with maxSteps 0 is a normal run without a step", async () => {
  const store = memoryStore();
  const events = hearing();
  const model = scriptModel([]);
  const agent = agentOf(model, { store, events });
  const { logHead, ...result } = await run(agent, requestOf({ budget: { maxSteps: 0 } }), { now });
  assertEquals<unknown>({ ...result }, {
    runId: "r",
    stopReason: "step_budget_exhausted",
    stopConditions: ["step_budget_exhausted"],
    steps: [],
    counters: { steps: 0, modelCalls: 0, withdrawnCalls: 0, totalTokens: 0, largestPromptChars: 0 },
    eventDeliveryFailures: 0,
  });
  assertEquals(events.heard.map(({ type }) => type), ["run_started", "run_finished"]);
  assertEquals([model.calls.length, shapeOf(await store.readRun("r"))], [
    0,
    ["run_started", "run_finished"],
  ]);
  const again = await resume(agent, requestOf({ budget: { maxSteps: 0 } }), { now });
  assertEquals(again, { ...result, logHead });
});

/** A limit that a run of equal acting steps reaches, and when: it takes 2 steps of 10 ms and 5 tokens to reach each. */
const LIMITS = {
  maxActiveMs: [20, "time_budget_exhausted"],
  maxSteps: [2, "step_budget_exhausted"],
  maxModelCalls: [2, "model_call_budget_exhausted"],
  maxTotalTokens: [10, "token_budget_exhausted"],
  maxIdenticalActions: [2, "repeated_action"],
} as const;

type Limit = keyof typeof LIMITS;

async function equalSteps(limits: readonly Limit[]): Promise<Awaited<ReturnType<typeof run>>> {
  let ms = 0;
  const reply = { text: "do a", usage: { inputTokens: 3, outputTokens: 2 } };
  const script: Said[] = Array(9).fill(reply);
  const executor = wordExecutor(() => void (ms += 10));
  const budget: Partial<Budget> = { maxSteps: 9 };
  for (const limit of limits) Object.assign(budget, { [limit]: LIMITS[limit][0] });
  const store = memoryStore();
  const request = requestOf({ executor, budget });
  const result = await run(agentOf(script, { store }), request, { now: () => ms });
  const verdict = verifyLog((await store.readRun("r"))!);
  assert(verdict.ok, verdict.fault?.message);
  return result;
}

Deno.test("run() composes its limits: every subset of them, each alone and all together", async () => {
  const names = Object.keys(LIMITS) as Limit[];
  for (let mask = 0; mask < 1 << names.length; mask++) {
    const limits = names.filter((_, i) => mask & (1 << i));
    const { stopReason, stopConditions, steps, counters } = await equalSteps(limits);
    const tierA = limits.filter((limit) => limit !== "maxIdenticalActions");
    const expected: readonly StopReason[] = limits.length === 0
      ? ["step_budget_exhausted"]
      : limits.includes("maxIdenticalActions")
      ? ["repeated_action"]
      : tierA.map((limit) => LIMITS[limit][1]);
    assertEquals([...stopConditions], [...expected], limits.join());
    assertEquals([stopReason, steps.length], [expected[0], limits.length === 0 ? 9 : 2]);
    assertEquals(counters.totalTokens, steps.length * 5);
  }
});

/** Rows of replies with how the run ends under `maxConsecutiveFailures: 2`, and after how many steps. */
const FAILURES: readonly (readonly [readonly Said[], string, number])[] = [
  [["gibberish", "gibberish", "answer 1"], "invalid_decisions", 2],
  [[new Error("x"), new Error("y"), "answer 1"], "model_call_failed", 2],
  [["do break", "do break", "answer 1"], "environment_failed", 2],
  [["do throw", "do throw", "answer 1"], "environment_failed", 2],
  [["gibberish", new Error("x"), "answer 1"], "model_call_failed", 2],
  [[new Error("x"), "do break", "answer 1"], "environment_failed", 2],
  [["gibberish", "do a", "gibberish", "answer 1"], "final_answer", 4],
  [["gibberish", "do fail", "gibberish", "answer 1"], "final_answer", 4],
  [["gibberish", "do reject", "gibberish", "answer 1"], "invalid_decisions", 3],
  [["gibberish", "answer 1"], "final_answer", 2],
];

Deno.test("run() counts failures in a row over all kinds, and names the kind that reached the limit", async () => {
  for (const [script, stopReason, steps] of FAILURES) {
    const request = requestOf({ budget: { maxConsecutiveFailures: 2 } });
    const result = await run(agentOf(script), request, { now });
    assertEquals([result.stopReason, result.steps.length], [stopReason, steps], String(script));
  }
});

Deno.test("run() prefers a completion to an exhausted budget and to a failure of the same step", async () => {
  const rows: readonly (readonly [string, readonly StopReason[]])[] = [
    ["use submit a", ["tool_completed"]],
    ["use submit complete", ["tool_completed", "environment_completed"]],
    ["do complete", ["environment_completed"]],
    ["use submit fail", ["step_budget_exhausted"]],
    ["use submit reject", ["step_budget_exhausted"]],
    ["use submit break", ["environment_failed"]],
    ["answer 1", ["final_answer"]],
  ];
  for (const [said, conditions] of rows) {
    const budget = { maxSteps: 1, maxConsecutiveFailures: 1 };
    const { stopConditions } = await run(agentOf([said]), requestOf({ budget }), { now });
    assertEquals([...stopConditions], [...conditions], said);
  }
});

Deno.test("run() stops before its first call where the prompt is too large, and says by how much", async () => {
  const context = { runLevel: [], goalLevel: [textMessage("user", "🌊🌊🌊")] };
  for (const [maxPromptChars, fits] of [[3, true], [2, false], [0, false]] as const) {
    const events = hearing();
    const model = scriptModel(["answer 1"]);
    const store = memoryStore();
    const request = requestOf({ context, budget: { maxPromptChars } });
    const result = await run(agentOf(model, { events, store }), request, { now });
    assertEquals(result.stopReason, fits ? "final_answer" : "context_overflow");
    assertEquals([result.steps.length, model.calls.length], fits ? [1, 1] : [0, 0]);
    const [, receipt] = events.heard;
    assert(receipt?.type === "prompt_assembled");
    assertEquals([receipt.verdict, receipt.excess, receipt.limit, receipt.promptChars], [
      fits ? "fits" : "context_overflow",
      fits ? 0 : 3 - maxPromptChars,
      maxPromptChars,
      3,
    ]);
    const [last] = JSON.parse((await store.readRun("r"))!.at(-1)!).records;
    assertEquals(last.promptChars, fits ? undefined : 3);
    assertEquals(result.counters.largestPromptChars, fits ? 3 : 0);
  }
});

/** A store whose run died during its first model call. */
async function deadDuringCall(request: Parameters<typeof requestOf>[0]): Promise<RunStore> {
  const store = memoryStore();
  const died = Promise.withResolvers<void>();
  const model = scriptModel([() => {
    died.resolve();
    return never();
  }]);
  void run(agentOf(model, { store }), requestOf(request), { now });
  await died.promise;
  return store;
}

Deno.test("resume() checks a replay like any call: where A forbids it the step is unknown", async () => {
  const rows: readonly (readonly [Partial<Budget>, number, string])[] = [
    [{ maxModelCalls: 1 }, 0, "model_call_budget_exhausted"],
    [{ maxModelCalls: 2 }, 1, "final_answer"],
    [{ maxModelCalls: 1, maxConsecutiveFailures: 1 }, 0, "model_call_failed"],
  ];
  for (const [budget, calls, stopReason] of rows) {
    const request = { budget, modelReplayPolicy: "replayable" } as const;
    const store = await deadDuringCall(request);
    const model = scriptModel(["answer 1"]);
    const result = await resume(agentOf(model, { store }), requestOf(request), { now });
    assertEquals([model.calls.length, result.stopReason], [calls, stopReason]);
    const [step] = result.steps;
    assertEquals([step?.outcome, step?.modelAttempts], [
      calls === 0 ? "model_outcome_unknown" : "final_answer",
      calls + 1,
    ]);
    assertEquals(
      model.calls.map(({ callId, attempt }) => [callId, attempt]),
      [["r/s0", 2]].slice(0, calls),
    );
    assert(verifyLog((await store.readRun("r"))!).ok);
  }
});

Deno.test("resume() never replays a call by itself: the step is unknown, and the model is told", async () => {
  const store = await deadDuringCall({});
  const model = scriptModel(["never asked", "answer 1"]);
  const { steps, counters } = await resume(agentOf(model, { store }), requestOf(), { now });
  assertEquals(steps.map(({ outcome }) => outcome), ["model_outcome_unknown", "final_answer"]);
  assertEquals({ modelCalls: counters.modelCalls, asked: model.calls.length }, {
    modelCalls: 2,
    asked: 1,
  });
  assertEquals(
    model.calls[0]!.messages.at(-1),
    textMessage("user", "[The run was interrupted during the last model call; its reply is lost.]"),
  );
});

Deno.test("run() shows a failed call to the model by a text of its own, and keeps the error in the record", async () => {
  const model = scriptModel([new RangeError("down"), "answer 1"]);
  const { steps } = await run(agentOf(model), requestOf(), { now });
  const [{ observation, observationSynthetic, error, reply, historyText }] = steps as [StepRecord];
  assertEquals({ observation, observationSynthetic }, {
    observation: "The last model call failed.",
    observationSynthetic: true,
  });
  assertEquals({ error, reply, historyText }, {
    error: { name: "RangeError", message: "down" },
    reply: undefined,
    historyText: undefined,
  });
  assertEquals(model.calls[1]?.messages.slice(2), [
    textMessage("user", "[The last model call failed.]"),
  ]);
});

Deno.test("run() refuses an id that is taken, and resume() one that is not", async () => {
  const store = memoryStore();
  const agent = agentOf(["answer 1"], { store });
  await assertRejects(() => resume(agent, requestOf(), { now }), RunNotFoundError, '"r"');
  await run(agent, requestOf(), { now });
  const before = await store.readRun("r");
  await assertRejects(() => run(agent, requestOf(), { now }), RunExistsError, '"r"');
  assertEquals(await store.readRun("r"), before);
});

Deno.test("run() takes a clock that runs backwards as standing still", async () => {
  const times = [5_000, 4_000, 6_000, 1_000];
  let i = 0;
  const store = memoryStore();
  const agent = agentOf(["do a", "answer 1"], { store });
  const { steps } = await run(agent, requestOf(), { now: () => times[i++ % times.length]! });
  assert(steps.every(({ durationMs }) => durationMs >= 0));
  const ats = (await store.readRun("r"))!.flatMap((line) => JSON.parse(line).records)
    .map(({ at }) => at).filter((at) => at !== undefined);
  assertEquals(ats, ats.toSorted());
});
