import { assert, assertEquals } from "@std/assert";
import {
  type EventSink,
  resume,
  run,
  type RunEvent,
  type RunOptions,
  type RunStore,
} from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { agentOf, hearing, never, now, requestOf, type Said } from "./world.ts";

function sinkOf(emit: (event: RunEvent) => void | Promise<void>): EventSink {
  return { emit, parameters: () => ({}) };
}

/** A reply whose model tells it in so many pieces. */
function chatty(pieces: number): Said {
  return ({ onDelta }) => {
    for (let i = 0; i < pieces; i++) onDelta!({ kind: "text", text: String(i) });
    return Promise.resolve({ text: "answer 1" });
  };
}

/** A store, and when it was asked to let go: the last event has been emitted then. */
function releasing(): { readonly store: RunStore; readonly released: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const releaseRun = () => Promise.resolve(resolve());
  return { store: { ...memoryStore(), releaseRun }, released: promise };
}

const gapsIn = (events: readonly RunEvent[]) => events.at(-1)!.sequence + 1 - events.length;

Deno.test("run() gives each event once, in order, one after the other, to a slow sink", async () => {
  const heard: RunEvent[] = [];
  let busy = false;
  const events = sinkOf(async (event) => {
    assert(!busy, "two events at once");
    busy = true;
    for (let i = 0; i < 5; i++) await Promise.resolve();
    busy = false;
    heard.push(event);
  });
  const result = await run(agentOf(["do a", "answer 1"], { events }), requestOf(), { now });
  assertEquals(heard.map(({ sequence }) => sequence), heard.map((_, i) => i));
  assertEquals({ last: heard.at(-1)?.type, eventDeliveryFailures: result.eventDeliveryFailures }, {
    last: "run_finished",
    eventDeliveryFailures: 0,
  });
});

Deno.test("run() bounds the queue of a slow sink: deltas go first, and gaps are what was dropped", async () => {
  const heard: RunEvent[] = [];
  const { store, released } = releasing();
  const events = sinkOf(async (event) => {
    heard.push(event);
    if (event.type === "model_call_started") await released;
  });
  const request = requestOf({ cancelGraceMs: 1_000 });
  const agent = agentOf([chatty(5_000)], { events, store });
  const { eventDeliveryFailures } = await run(agent, request, { now });
  const types = heard.map(({ type }) => type);
  assertEquals(types.slice(-3), ["model_call_finished", "step_recorded", "run_finished"]);
  assertEquals(types.filter((type) => type === "model_delta").length, 997);
  assertEquals({ eventDeliveryFailures, gaps: gapsIn(heard) }, {
    eventDeliveryFailures: 4_003,
    gaps: 4_003,
  });
});

Deno.test("run() drops the oldest of the rest where there is no delta to drop", async () => {
  const heard: RunEvent[] = [];
  const { store, released } = releasing();
  const events = sinkOf(async (event) => {
    heard.push(event);
    if (event.sequence === 0) await released;
  });
  const script = Array<string>(300).fill("do a");
  const budget = { maxSteps: 300, maxModelCalls: 300 };
  const request = requestOf({ budget, cancelGraceMs: 1_000 });
  const { eventDeliveryFailures } = await run(agentOf(script, { events, store }), request, { now });
  assertEquals(heard.at(-1)?.type, "run_finished");
  assertEquals({ heard: heard.length, gaps: gapsIn(heard) }, {
    heard: 1_001,
    gaps: eventDeliveryFailures,
  });
  assert(eventDeliveryFailures > 1_000);
});

Deno.test("run() is neither hung nor failed by a sink that never answers", async () => {
  let emitted = 0;
  const events = sinkOf(() => {
    emitted++;
    return never();
  });
  const result = await run(agentOf(["answer 1"], { events }), requestOf({ cancelGraceMs: 1 }), {
    now,
  });
  assertEquals({
    stopReason: result.stopReason,
    emitted,
    eventDeliveryFailures: result.eventDeliveryFailures,
  }, { stopReason: "final_answer", emitted: 1, eventDeliveryFailures: 7 });
});

Deno.test("run() counts what a sink throws, tells onEventError once each, and emits nothing again", async () => {
  for (const manner of ["throws", "rejects"]) {
    const seen: string[] = [];
    const failed: string[] = [];
    const events = sinkOf((event) => {
      seen.push(event.type);
      if (manner === "throws") throw new Error(event.type);
      return Promise.reject(new Error(event.type));
    });
    const options: RunOptions = {
      now,
      onEventError: (error, event) => {
        failed.push((error as Error).message);
        assertEquals((error as Error).message, event.type);
        throw new Error("the report fails, too");
      },
    };
    const { eventDeliveryFailures } = await run(
      agentOf(["answer 1"], { events }),
      requestOf(),
      options,
    );
    assertEquals({ failed, eventDeliveryFailures, seen: seen.length }, {
      failed: seen,
      eventDeliveryFailures: seen.length,
      seen: 7,
    });
  }
});

Deno.test("run() that is aborted gives a slow sink all its events, the last one too", async () => {
  for (const onAbort of ["finish", "suspend"] as const) {
    const controller = new AbortController();
    const heard: RunEvent[] = [];
    const events = sinkOf(async (event) => {
      for (let i = 0; i < 9; i++) await Promise.resolve();
      heard.push(event);
    });
    const aborting: Said = () => {
      controller.abort("enough");
      return never();
    };
    const agent = agentOf(["do a", aborting], { events });
    const request = requestOf({ cancelGraceMs: 5 });
    await run(agent, request, { now, signal: controller.signal, onAbort }).catch(() => {});
    assertEquals(heard.map(({ sequence }) => sequence), heard.map((_, i) => i));
    assertEquals(heard.at(-1)?.type, onAbort === "finish" ? "run_finished" : "run_suspended");
  }
});

Deno.test("run() ignores what onEventError throws, at once or later", async () => {
  const events = sinkOf(() => {
    throw new Error("deaf");
  });
  const unhandled: unknown[] = [];
  const listener = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    unhandled.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", listener);
  const fault = () => {
    throw new Error("in the report too");
  };
  for (const report of [fault, () => Promise.resolve().then(fault)]) {
    const options = { now, onEventError: report };
    const result = await run(agentOf(["answer 1"], { events }), requestOf(), options);
    assertEquals(result.eventDeliveryFailures, 7);
  }
  await new Promise((resolve) => setTimeout(resolve));
  globalThis.removeEventListener("unhandledrejection", listener);
  assertEquals(unhandled, []);
});

Deno.test("run() that has ended hears no failure of a sink any more", async () => {
  const gate = Promise.withResolvers<void>();
  const events = sinkOf(() => gate.promise);
  const failed: unknown[] = [];
  const result = await run(agentOf(["answer 1"], { events }), requestOf({ cancelGraceMs: 0 }), {
    now,
    onEventError: (error) => failed.push(error),
  });
  gate.reject(new Error("too late"));
  for (let i = 0; i < 10; i++) await Promise.resolve();
  assertEquals({ eventDeliveryFailures: result.eventDeliveryFailures, failed }, {
    eventDeliveryFailures: 7,
    failed: [],
  });
});

Deno.test("run() takes what a sink gives back for what it is: only a promise is waited for", async () => {
  for (const given of [5, "x", null, {}, { then: 5 }]) {
    const events = sinkOf(() => given as never);
    const result = await run(agentOf(["answer 1"], { events }), requestOf(), { now });
    assertEquals(result.eventDeliveryFailures, 0);
  }
  const thenable = { then: (resolve: () => void) => resolve() };
  const events = sinkOf(() => thenable as never);
  const result = await run(agentOf(["answer 1"], { events }), requestOf(), { now });
  assertEquals(result.eventDeliveryFailures, 0);
});

Deno.test("resume() says where it goes on, numbers from 0, and emits no recorded step again", async () => {
  const store = memoryStore();
  const controller = new AbortController();
  const before: RunEvent[] = [];
  const first = sinkOf((event) => {
    before.push(event);
    if (event.type === "step_recorded") controller.abort();
  });
  const options: RunOptions = { now, signal: controller.signal, onAbort: "suspend" };
  const script = ["do a", "do b", "answer 1"];
  await run(agentOf(script, { store, events: first }), requestOf(), options).catch(() => {});
  const events = hearing();
  await resume(agentOf(script, { store, events }), requestOf(), { now });
  const [resumed, receipt] = events.heard;
  assert(resumed?.type === "run_resumed" && receipt?.type === "prompt_assembled");
  assertEquals({
    plan: resumed.plan,
    recordedSteps: resumed.recordedSteps,
    sequence: resumed.sequence,
  }, { plan: "next_step", recordedSteps: 1, sequence: 0 });
  const [started] = before;
  assert(started?.type === "run_started");
  assertEquals(resumed.parameters, started.parameters);
  const steps = events.heard.filter((event) => event.type === "step_recorded");
  assertEquals(steps.map(({ step }) => step.stepIndex), [1, 2]);
  assertEquals(
    { sharedMessages: receipt.sharedMessages, newMessages: receipt.newMessages.length },
    { sharedMessages: 2, newMessages: 2 },
  );
  assertEquals(receipt.newMessages.map(({ source }) => source), [
    "step:0/assistant",
    "step:0/observation",
  ]);
});

Deno.test("run() lists in each receipt what is new since the call before", async () => {
  const events = hearing();
  await run(agentOf(["do a", "do b", "answer 1"], { events }), requestOf(), { now });
  const receipts = events.heard.filter((event) => event.type === "prompt_assembled");
  assertEquals(
    receipts.map((receipt) => ({
      sharedMessages: receipt.sharedMessages,
      newMessages: receipt.newMessages.length,
    })),
    [
      { sharedMessages: 0, newMessages: 2 },
      { sharedMessages: 2, newMessages: 2 },
      { sharedMessages: 4, newMessages: 2 },
    ],
  );
  assertEquals(
    receipts.map(({ sharedChars }) => sharedChars),
    [0, ...receipts.slice(0, 2).map(({ promptChars }) => promptChars)],
  );
});

Deno.test("resume() emits the receipt of a replayed call: nothing in it is new", async () => {
  const store = memoryStore();
  const died = Promise.withResolvers<void>();
  const dying: Said = () => {
    died.resolve();
    return never();
  };
  const request = requestOf({ modelReplayPolicy: "replayable" });
  void run(agentOf([dying], { store }), request, { now });
  await died.promise;
  const events = hearing();
  await resume(agentOf(["answer 1"], { store, events }), request, { now });
  const [resumed, receipt, started] = events.heard;
  assert(resumed?.type === "run_resumed" && receipt?.type === "prompt_assembled");
  assertEquals([resumed.plan, started?.type], ["replay_call", "model_call_started"]);
  assertEquals({
    newMessages: receipt.newMessages,
    sharedMessages: receipt.sharedMessages,
    sharedChars: receipt.sharedChars,
  }, { newMessages: [], sharedMessages: 2, sharedChars: 9 });
  assertEquals([receipt.verdict, receipt.excess], ["fits", 0]);
});

Deno.test("run() freezes its events deep, and they hold the facts of the log", async () => {
  const events = hearing();
  const { steps } = await run(agentOf(["do a", "answer 1"], { events }), requestOf(), { now });
  const frozen = (value: unknown): boolean =>
    typeof value !== "object" || value === null ||
    (Object.isFrozen(value) && Object.values(value).every(frozen));
  assert(events.heard.every(frozen));
  const told = events.heard.filter((event) => event.type === "step_recorded");
  assertEquals(told.map(({ step }) => step), [...steps]);
});
