import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import {
  ParameterDriftError,
  resume,
  run,
  RunConflictError,
  RunLogCorruptError,
  type RunOptions,
  type RunStore,
} from "../../mod.ts";
import { readLog, verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  EXECUTED,
  never,
  now,
  rejection,
  requestOf,
  type Said,
  scriptModel,
  shapeOf,
  tellingStore,
  wordExecutor,
} from "../session/world.ts";

const NATIVE = { toolProtocol: "native" } as const;

/** A store whose run died during the action of this word. */
async function deadDuring(word: string, script: readonly string[]): Promise<RunStore> {
  const store = memoryStore();
  const died = Promise.withResolvers<void>();
  const executor = wordExecutor((said) => {
    if (said !== word) return undefined;
    died.resolve();
    return never();
  });
  const agent = agentOf(script, { store, protocol: "native" });
  void run(agent, requestOf({ executor, ...NATIVE }), { now });
  await died.promise;
  return store;
}

Deno.test("each recorded call has exactly one result before the next prompt, also after a resume", async () => {
  const script = ["do a; do b; do c", "answer 1"];
  for (const word of ["a", "b", "c"]) {
    const store = await deadDuring(word, script);
    const model = scriptModel(script);
    await resume(agentOf(model, { store, protocol: "native" }), requestOf(NATIVE), { now });
    const blocks = model.calls[0]!.messages.flatMap(({ content }) => content);
    const ids = (type: string) =>
      blocks.flatMap((block) =>
        block.type === type && "toolCallId" in block ? [block.toolCallId] : []
      );
    assertEquals(ids("tool_call"), ["s0_a0", "s0_a1", "s0_a2"]);
    assertEquals(ids("tool_result"), ids("tool_call"));
  }
});

Deno.test("resuming a finished run gives the stored result, calls nothing and writes nothing", async () => {
  const scripts: readonly (readonly [readonly Said[], RunOptions])[] = [
    [["do a", "use submit b"], {}],
    [["do a", "answer 1"], { approveAction: { id: "me", decide: () => ({ allow: false }) } }],
    [["gibberish", "gibberish", "gibberish"], {}],
  ];
  for (const [script, options] of scripts) {
    const store = tellingStore();
    const result = await run(agentOf(script, { store }), requestOf(), { now, ...options });
    const asked = store.asked.length;
    const model = scriptModel(script);
    const executor = wordExecutor();
    const again = await resume(agentOf(model, { store }), requestOf({ executor }), {
      now,
      ...options,
    });
    assertEquals(again, result);
    assertEquals({ modelCalls: model.calls.length, executions: executor.calls.length }, {
      modelCalls: 0,
      executions: 0,
    });
    assertEquals(store.asked.slice(asked), ["readRun"]);
  }
});

Deno.test("a cancelled run that is resumed resolves with what was stored", async () => {
  const store = memoryStore();
  const signal = AbortSignal.abort("stop");
  const agent = agentOf(["answer 1"], { store });
  assertEquals(await rejection(run(agent, requestOf(), { now, signal })), "stop");
  const { stopReason, steps } = await resume(agent, requestOf(), { now });
  assertEquals([stopReason, steps.length], ["cancelled", 0]);
});

Deno.test("a slow old worker cannot overwrite what the recovered run wrote: its next write is refused", async () => {
  const store = memoryStore();
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const executor = wordExecutor(async () => {
    reached.resolve();
    await gate.promise;
    return EXECUTED;
  });
  const script = ["do a", "answer late"];
  const old = run(agentOf(script, { store }), requestOf({ executor }), { now });
  await reached.promise;
  const { answer } = await resume(agentOf(["-", "answer recovered"], { store }), requestOf(), {
    now,
  });
  const before = await store.readRun("r");
  gate.resolve();
  assertInstanceOf(await rejection(old), RunConflictError);
  assertEquals([answer, await store.readRun("r")], ["recovered", before]);
});

Deno.test("of two that resume one run, one goes on and the other stops before it acts", async () => {
  const store = await deadDuring("a", ["do a", "do b", "answer 1"]);
  const executors = [wordExecutor(), wordExecutor()];
  const outcomes = await Promise.allSettled(executors.map((executor) => {
    const agent = agentOf(["-", "do b", "answer 1"], { store, protocol: "native" });
    return resume(agent, requestOf({ executor, ...NATIVE }), { now });
  }));
  const lost = outcomes.filter((outcome) => outcome.status === "rejected");
  assertEquals(lost.length, 1);
  assertInstanceOf(lost[0]?.reason, RunConflictError);
  assertEquals(executors.flatMap(({ calls }) => calls.map(({ actionId }) => actionId)), [
    "r/s1_a0",
  ]);
  assert(verifyLog((await store.readRun("r"))!).ok);
});

Deno.test("a resume with another model is refused, and names both", async () => {
  const store = await deadDuring("a", ["do a"]);
  const model = { ...scriptModel([]), parameters: () => ({ name: "cheaper" }) };
  const agent = agentOf(model, { store, protocol: "native" });
  const error = await rejection(resume(agent, requestOf(NATIVE), { now }));
  assertInstanceOf(error, ParameterDriftError);
  assertEquals(error.drifts, [
    { key: "definition.model.name", kind: "changed", recorded: "script", current: "cheaper" },
  ]);
});

Deno.test("settings that are spelled out equal those that are left to their defaults", async () => {
  const store = memoryStore();
  const aborted: RunOptions = { now, signal: AbortSignal.abort(), onAbort: "suspend" };
  const terse = { cancelGraceMs: 5_000 };
  await run(agentOf(["answer 1"], { store }), requestOf(terse), aborted).catch(() => {});
  const spelled = requestOf({
    ...terse,
    toolProtocol: "text",
    injections: {},
    modelBinding: {},
    fingerprints: {},
    modelReplayPolicy: "never",
  });
  const texts = { rejected: "The action was rejected and not executed." };
  const agent = agentOf(["answer 1"], { store, syntheticObservations: texts });
  assertEquals((await resume(agent, spelled, { now })).stopReason, "final_answer");
});

Deno.test("a restart asks only what is unknown; what is recorded is not done again", async () => {
  const script = [...Array<string>(40).fill("do a"), "do last", "answer 1"];
  const store = await deadDuring("last", script);
  const asked: string[] = [];
  const executor = wordExecutor();
  const { steps } = await resume(
    agentOf(script, { store, protocol: "native" }),
    requestOf({ executor, ...NATIVE }),
    {
      now,
      resolveUnknownAction: {
        id: "ops",
        resolve: ({ actionId }) => {
          asked.push(actionId);
          return { kind: "did_not_happen" };
        },
      },
    },
  );
  assertEquals([asked, steps.length], [["r/s40_a0"], 42]);
  assertEquals(executor.calls.map(({ actionId }) => actionId), ["r/s40_a0"]);
});

Deno.test("the finished record is the truth: a run whose bookkeeping failed afterwards is not recovered", async () => {
  const memory = memoryStore();
  const store = { ...memory, releaseRun: () => Promise.reject(new Error("cannot let go")) };
  await rejection(run(agentOf(["use submit a"], { store }), requestOf(), { now }));
  const lines = await memory.readRun("r");
  assertEquals(readLog(lines!).finished?.stopReason, "tool_completed");
  const executor = wordExecutor();
  const result = await resume(agentOf([], { store: memory }), requestOf({ executor }), { now });
  assertEquals([result.stopReason, executor.calls.length], ["tool_completed", 0]);
  assertEquals(await memory.readRun("r"), lines);
});

Deno.test("a recovery that fails deletes nothing", async () => {
  const store = await deadDuring("a", ["do a", "answer 1"]);
  const lines = (await store.readRun("r"))!;
  const damaged = lines.with(1, lines[1]!.replace('"attempt":1', '"attempt":2'));
  const telling = tellingStore({ ...store, readRun: () => Promise.resolve(damaged) });
  const agent = agentOf([], { store: telling, protocol: "native" });
  assertInstanceOf(await rejection(resume(agent, requestOf(NATIVE), { now })), RunLogCorruptError);
  assertInstanceOf(
    await rejection(resume(agentOf([], { store }), requestOf(), { now })),
    ParameterDriftError,
  );
  assertEquals([telling.asked, await store.readRun("r")], [["readRun"], lines]);
  assertEquals(shapeOf(lines).at(-1), "model_reply decision action_intent");
});
