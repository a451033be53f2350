import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStrictEquals,
} from "@std/assert";
import {
  resume,
  run,
  type RunOptions,
  type RunStore,
  RunSuspendedError,
  StoreFailedError,
} from "../../mod.ts";
import { readLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { aborted, fresh, SCRIPT } from "./cancel_world.ts";
import {
  agentOf,
  EXECUTED,
  hearing,
  never,
  now,
  rejection,
  requestOf,
  scriptModel,
  shapeOf,
  tellingStore,
  wordExecutor,
} from "./world.ts";
import { withShortWaits } from "./short_waits.ts";

const WRITES = ["startRun", "writeIntent", "writeOutcome", "finishRun"] as const;

Deno.test("run() gives up a hung write after an abort, says so, and writes no more", () =>
  withShortWaits(async () => {
    await Promise.all(WRITES.map(async (method) => {
      const controller = new AbortController();
      const asked: string[] = [];
      const memory = memoryStore();
      const telling = tellingStore(memory);
      const hung = () => {
        asked.push(...telling.asked, method);
        controller.abort("enough");
        return never<void>();
      };
      const store: RunStore = { ...telling, [method]: hung };
      const agent = agentOf(["do a", "answer 1"], { store });
      const error = await assertRejects(
        () => run(agent, requestOf(), { now, signal: controller.signal }),
        StoreFailedError,
      );
      assertEquals([error.action, error.runId], ["write", "r"]);
      assertEquals([error.durability, error.cause], ["unknown", "enough"]);
      const later = telling.asked.slice(asked.length - 1);
      assertEquals(later, method === "startRun" ? [] : ["releaseRun"]);
    }));
  }));

Deno.test("resume() gives up a hung readRun after an abort, and says that nothing was written", () =>
  withShortWaits(async () => {
    await Promise.all(["before", "meanwhile"].map(async (when) => {
      const controller = new AbortController();
      const abort = () => controller.abort("enough");
      if (when === "before") abort();
      const readRun = () => (abort(), never<null>());
      const agent = agentOf(["answer 1"], { store: { ...memoryStore(), readRun } });
      const error = await assertRejects(
        () => resume(agent, requestOf(), { now, signal: controller.signal }),
        StoreFailedError,
      );
      assertEquals([error.action, error.runId], ["read", "r"]);
      assertEquals([error.durability, error.cause], ["none", "enough"]);
    }));
  }));

Deno.test("run() gives the store time after an abort, also where the calls in flight get none", async () => {
  const controller = new AbortController();
  const memory = memoryStore();
  const slow: RunStore["writeOutcome"] = async (...args) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    await memory.writeOutcome(...args);
  };
  const model = scriptModel([() => (controller.abort("enough"), never())]);
  const agent = agentOf(model, { store: { ...memory, writeOutcome: slow } });
  const options = { now, signal: controller.signal, onAbort: "suspend" } as const;
  await assertRejects(
    () => run(agent, requestOf({ cancelGraceMs: 0 }), options),
    RunSuspendedError,
  );
  assertEquals(readLog((await memory.readRun("r"))!).open?.withdrawn?.reason, "suspended");
});

Deno.test("run() waits for a slow write without an abort, however long it takes", async () => {
  const memory = memoryStore();
  const gate = Promise.withResolvers<void>();
  const store: RunStore = {
    ...memory,
    finishRun: async (...args) => {
      await gate.promise;
      await memory.finishRun(...args);
    },
  };
  const running = run(agentOf(["answer 1"], { store }), requestOf({ cancelGraceMs: 0 }), { now });
  let settled = false;
  running.finally(() => settled = true);
  for (let i = 0; i < 100; i++) await Promise.resolve();
  assert(!settled);
  gate.resolve();
  assertEquals((await running).answer, "1");
});

Deno.test("run() hears a port that settles within the grace time, and takes its outcome", async () => {
  const controller = new AbortController();
  const executor = {
    ...wordExecutor(),
    execute: async ({ signal }: { signal: AbortSignal }) => {
      controller.abort("enough");
      assert(signal.aborted);
      for (let i = 0; i < 20; i++) await Promise.resolve();
      return { ...EXECUTED, completed: true };
    },
  };
  const request = requestOf({ executor, cancelGraceMs: 2_000 });
  const { signal } = controller;
  const { stopReason } = await run(agentOf(["do a"]), request, { now, signal });
  assertEquals(stopReason, "environment_completed");
});

Deno.test("run() ignores what a port brings after the grace time", async () => {
  for (const late of ["value", "error"]) {
    const controller = new AbortController();
    const gate = Promise.withResolvers<typeof EXECUTED>();
    const executor = {
      ...wordExecutor(),
      execute: () => {
        controller.abort("enough");
        return gate.promise;
      },
    };
    const store = memoryStore();
    const running = run(agentOf(["do a"], { store }), requestOf({ executor, cancelGraceMs: 0 }), {
      now,
      signal: controller.signal,
    });
    assertEquals(await rejection(running), "enough");
    const before = await store.readRun("r");
    if (late === "value") gate.resolve(EXECUTED);
    else gate.reject(new Error("too late"));
    for (let i = 0; i < 20; i++) await Promise.resolve();
    assertEquals(await store.readRun("r"), before);
    const { steps, finished } = readLog(before!);
    assertEquals(steps[0]?.actions[0]?.status, "unknown");
    assertEquals(finished?.abandoned, ["r/s0_a0"]);
  }
});

/** A signal that counts its listeners. */
function counted(): {
  readonly signal: AbortSignal;
  readonly most: () => number;
  readonly now: () => number;
} {
  const { signal } = new AbortController();
  let listeners = 0;
  let most = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    most = Math.max(most, ++listeners);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  return { signal, most: () => most, now: () => listeners };
}

Deno.test("run() keeps one listener on the caller's signal through 300 steps, and none afterwards", async () => {
  const { signal, most, now: left } = counted();
  const script = Array<string>(300).fill("do a");
  const budget = { maxSteps: 300, maxModelCalls: 301, maxPromptChars: 1_000_000 };
  const { counters } = await run(agentOf(script), requestOf({ budget }), { now, signal });
  assertEquals({ steps: counters.steps, mostListeners: most(), listenersLeft: left() }, {
    steps: 300,
    mostListeners: 1,
    listenersLeft: 0,
  });
});

Deno.test("run() and resume() leave no listener behind, whatever becomes of them", async () => {
  const failing:
    readonly (readonly [string, Partial<RunOptions>, Parameters<typeof requestOf>[0]])[] = [
      ["RunExistsError", {}, {}],
      ["InvalidRequestError", { now: () => NaN }, { runId: "other" }],
      ["PortContractError", {}, {
        runId: "other",
        tools: { names: [], schemaForModel: () => 5 as never, toolDigest: () => "" },
      }],
    ];
  const store = memoryStore();
  await run(agentOf(["answer 1"], { store }), requestOf(), { now });
  for (const [name, options, request] of failing) {
    const { signal, now: left } = counted();
    const running = run(agentOf([], { store }), requestOf(request), { now, signal, ...options });
    const error = await rejection(running);
    assertInstanceOf(error, Error);
    assertEquals({ name: error.name, listenersLeft: left() }, { name, listenersLeft: 0 });
  }
  const { signal, now: left } = counted();
  await resume(agentOf([], { store }), requestOf(), { signal });
  assertEquals(left(), 0);
});

Deno.test("run() says why it was aborted even where the store cannot let go", async () => {
  const releaseRun = () => {
    const task = { action: "release", runId: "r", durability: "none" } as const;
    return Promise.reject(new StoreFailedError(task, "the disk is gone"));
  };
  for (const onAbort of ["finish", "suspend"] as const) {
    const store = { ...memoryStore(), releaseRun };
    const signal = AbortSignal.abort("enough");
    const options = { now, signal, ...(onAbort === "suspend" && { onAbort }) };
    const error = await rejection(run(agentOf(["answer 1"], { store }), requestOf(), options));
    if (onAbort === "finish") assertEquals(error, "enough");
    else assertEquals((error as { code?: string }).code, "run_suspended");
  }
  const store = { ...memoryStore(), releaseRun };
  await assertRejects(() => run(agentOf(["answer 1"], { store }), requestOf()), StoreFailedError);
});

Deno.test("run() throws what a store threw, goes no further, and lets go only of what it held", async () => {
  for (const [i, method] of WRITES.entries()) {
    const telling = tellingStore();
    const trouble = new StoreFailedError(
      { action: "write", runId: "r", durability: "none" },
      "the disk is full",
    );
    const store = {
      ...telling,
      [method]: () => {
        telling.asked.push(`failed ${method}`);
        return Promise.reject(trouble);
      },
    };
    const error = await rejection(
      run(agentOf(["do a", "answer 1"], { store }), requestOf(), { now }),
    );
    assertStrictEquals(error, trouble);
    const at = telling.asked.indexOf(`failed ${method}`);
    assertEquals(telling.asked.slice(at + 1), i === 0 ? [] : ["releaseRun"]);
  }
});

Deno.test("run() finishes a suspension with every port hung, within its graces", async () => {
  const hung = { ...hearing(), emit: () => never<void>() };
  const { store, error } = await aborted({ name: "model" }, "never", { onAbort: "suspend" });
  assertEquals((error as { code?: string }).code, "run_suspended");
  const { agent, request } = fresh(store);
  const result = await resume({ ...agent, events: hung }, request, { now });
  assertEquals([result.stopReason, SCRIPT.length], ["final_answer", 2]);
  assert(result.eventDeliveryFailures > 0);
  assertEquals(shapeOf(await store.readRun("r")).at(-1), "run_finished");
});
