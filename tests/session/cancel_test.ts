import { assert, assertEquals, assertInstanceOf, assertStrictEquals } from "@std/assert";
import { resume, run, RunSuspendedError } from "../../mod.ts";
import { readLog, verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  type Aborted,
  aborted,
  abortOptions,
  fresh,
  type Manner,
  type Point,
  SCRIPT,
  summaryOf,
} from "./cancel_world.ts";
import {
  agentOf,
  denialOf,
  hearing,
  now,
  requestOf,
  scriptModel,
  shapeOf,
  storeOf,
} from "./world.ts";

const REJECTING: readonly Manner[] = ["obeys", "throws", "never"];
const ACTED = "acted reply decision executed/1 executed/1";
const ANSWERED = `${ACTED}, final_answer reply decision, final_answer`;

/** Points, manners, and how the log ends: finished as cancelled; and suspended. */
const ROWS: readonly (readonly [Point, readonly Manner[], string, string])[] = [
  [{ name: "startRun" }, ["returns"], "cancelled", ""],
  [{ name: "writeIntent" }, ["returns"], "cancelled, cancelled", "awaits reply"],
  [{ name: "model" }, REJECTING, "cancelled, cancelled", "awaits reply"],
  [{ name: "model" }, ["returns"], "cancelled reply, cancelled", "awaits decision"],
  [{ name: "interpreter" }, REJECTING, "cancelled reply, cancelled", "awaits decision"],
  [
    { name: "interpreter" },
    ["returns"],
    "cancelled reply decision not_executed/0 not_executed/0, cancelled",
    "awaits next_action",
  ],
  [
    { name: "approval" },
    ["obeys", "throws", "never", "returns"],
    "cancelled reply decision not_executed/0 not_executed/0, cancelled",
    "awaits next_action",
  ],
  [
    { name: "approval", count: 1 },
    ["obeys", "throws", "never", "returns"],
    "cancelled reply decision executed/1 not_executed/0, cancelled",
    "awaits next_action executed/1",
  ],
  [
    { name: "writeIntent", count: 1 },
    ["returns"],
    "cancelled reply decision not_executed/1 not_executed/0, cancelled",
    "awaits next_action",
  ],
  [
    { name: "action" },
    REJECTING,
    "cancelled reply decision unknown/1 not_executed/0, cancelled",
    "awaits action_result",
  ],
  [
    { name: "action" },
    ["returns"],
    "cancelled reply decision executed/1 not_executed/0, cancelled",
    "awaits next_action executed/1",
  ],
  [
    { name: "writeIntent", count: 2 },
    ["returns"],
    "cancelled reply decision executed/1 not_executed/1, cancelled",
    "awaits next_action executed/1",
  ],
  [
    { name: "action", count: 1 },
    REJECTING,
    "cancelled reply decision executed/1 unknown/1, cancelled",
    "awaits action_result executed/1",
  ],
  [{ name: "action", count: 1 }, ["returns"], `${ACTED}, cancelled`, ACTED],
  [{ name: "writeOutcome" }, ["returns"], `${ACTED}, cancelled`, ACTED],
  [
    { name: "writeIntent", count: 3 },
    ["returns"],
    `${ACTED}, cancelled, cancelled`,
    `${ACTED}, awaits reply`,
  ],
  [
    { name: "model", count: 1 },
    ["returns"],
    `${ACTED}, cancelled reply, cancelled`,
    `${ACTED}, awaits decision`,
  ],
  [{ name: "interpreter", count: 1 }, ["returns"], ANSWERED, ANSWERED],
  [{ name: "writeOutcome", count: 1 }, ["returns"], ANSWERED, ANSWERED],
  [{ name: "finishRun" }, ["returns"], ANSWERED, ANSWERED],
];

function abandonedBy({ name, count = 0 }: Point, manner: Manner): readonly string[] {
  if (manner !== "never") return [];
  return name === "model" ? [`r/s${count}`] : name === "action" ? [`r/s0_a${count}`] : [];
}

function assertSound(
  { late, events, log, summary, error, reason }: Aborted,
  onAbort: string,
  sinkAborts = false,
): void {
  assertEquals(late, [], "a port was called after the abort");
  const types = events.map(({ type }) => type);
  const count = (type: string) => types.filter((other) => other === type).length;
  if (!sinkAborts) {
    assertEquals(count("model_call_started"), count("model_call_finished"));
    const open = log.open?.openAction === undefined ? 0 : 1;
    assert(count("action_started") <= count("action_finished") + open);
  }
  const last = types.at(-1);
  if (summary.endsWith("final_answer")) {
    assertEquals([error, last], [undefined, "run_finished"]);
  } else if (onAbort === "finish") {
    assertStrictEquals(error, reason);
    assertEquals([log.finished?.stopReason, last], ["cancelled", "run_finished"]);
  } else {
    assertInstanceOf(error, RunSuspendedError);
    assertStrictEquals(error.cause, reason);
    assertEquals([log.finished, last], [undefined, "run_suspended"]);
  }
}

for (const [point, manners, finish, suspend] of ROWS) {
  for (const manner of manners) {
    const where = `${point.name} ${point.count ?? 0} ${manner}`;
    Deno.test(`run() ends as cancelled where the signal aborts: ${where}`, async () => {
      const ended = await aborted(point, manner);
      assertEquals(ended.summary, finish);
      assertSound(ended, "finish");
      assertEquals(ended.log.finished?.abandoned, abandonedBy(point, manner));
      const verdict = verifyLog((await ended.store.readRun("r"))!);
      assert(verdict.ok, verdict.fault?.message);
    });
    Deno.test(`run() leaves what is known and no more where it suspends: ${where}`, async () => {
      const ended = await aborted(point, manner, { onAbort: "suspend" });
      assertEquals(ended.summary, suspend);
      assertSound(ended, "suspend");
    });
  }
}

Deno.test("run() tells the sink that nobody knows of a call that was given up or interrupted", async () => {
  for (const manner of REJECTING) {
    const { events } = await aborted({ name: "model" }, manner);
    const [finished] = events.filter((event) => event.type === "model_call_finished");
    assertEquals([finished?.outcome, finished?.error], ["unknown", undefined]);
    const broken = await aborted({ name: "action" }, manner);
    const [acted] = broken.events.filter((event) => event.type === "action_finished");
    assertEquals(acted?.status, "unknown");
  }
});

Deno.test("run() writes what is known at a suspension as an outcome, which needs no barrier", async () => {
  for (const name of ["model", "action", "approval"]) {
    const { methods } = await aborted({ name }, "returns", { onAbort: "suspend" });
    assertEquals(methods.at(-1), "writeOutcome", name);
  }
});

Deno.test("run() records a denial that arrives after the abort", async () => {
  const answer = { allow: false, reason: "no" };
  const denial = { by: "me", reason: "no" };
  const ended = await aborted({ name: "approval" }, "returns", { answer });
  assertEquals(ended.summary, "cancelled reply decision not_executed/0 not_executed/0, cancelled");
  assertEquals(denialOf(ended.log.steps[0]?.actions[0]), denial);
  const suspended = await aborted({ name: "approval" }, "returns", { answer, onAbort: "suspend" });
  assertEquals(suspended.summary, "awaits next_action not_executed/0");
  assertEquals(denialOf(suspended.log.open?.actions[0]), denial);
});

const EVENT_POINTS = [
  "run_started",
  "prompt_assembled",
  "step_started",
  "model_call_started",
  "model_call_finished",
  "action_started",
  "action_finished",
  "step_recorded",
];

for (const name of EVENT_POINTS) {
  for (const onAbort of ["finish", "suspend"] as const) {
    Deno.test(`run() calls no port once a sink has aborted it at ${name} (${onAbort})`, async () => {
      const ended = await aborted({ name }, "returns", abortOptions(onAbort));
      assertSound(ended, onAbort, true);
      assertEquals(verifyLog((await ended.store.readRun("r"))!).ok, true);
    });
  }
}

for (const onAbort of ["finish", "suspend"] as const) {
  Deno.test(`run() with a signal that is aborted already takes no step (${onAbort})`, async () => {
    const store = memoryStore();
    const events = hearing();
    const signal = AbortSignal.abort("why");
    const agent = agentOf(["answer 1"], { store, events });
    const error = await run(agent, requestOf(), { now, signal, ...abortOptions(onAbort) })
      .catch((error) => error);
    if (onAbort === "finish") assertEquals(error, "why");
    else assertEquals([error.code, error.cause], ["run_suspended", "why"]);
    const ends = onAbort === "finish" ? "run_finished" : "run_suspended";
    assertEquals(events.heard.map(({ type }) => type), ["run_started", ends]);
    assertEquals(
      shapeOf(await store.readRun("r")),
      onAbort === "finish" ? ["run_started", "run_finished"] : ["run_started"],
    );
  });
}

Deno.test("resume() with a signal that is aborted already takes no step, and closes what is open", async () => {
  for (const [point, manners, , suspend] of ROWS) {
    if (suspend.endsWith("final_answer")) continue;
    for (const onAbort of ["suspend", "finish"] as const) {
      const { store } = await aborted(point, manners[0]!, { onAbort: "suspend" });
      const { agent, request, model, executor } = fresh(store);
      const signal = AbortSignal.abort("why");
      const options = point.name === "approval"
        ? { approveAction: { id: "me", decide: () => ({ allow: true }) as const } }
        : {};
      const error = await resume(agent, request, {
        now,
        signal,
        ...abortOptions(onAbort),
        ...options,
      })
        .catch((error) => error);
      assertEquals(model.calls.length, 0);
      assertEquals(executor.calls.length, 0);
      const summary = summaryOf(readLog((await store.readRun("r"))!));
      if (onAbort === "finish") {
        assertEquals(error, "why");
        assert(summary.endsWith("cancelled"), summary);
        assertEquals(verifyLog((await store.readRun("r"))!).ok, true);
      } else assertInstanceOf(error, RunSuspendedError);
    }
  }
});

Deno.test("resume() goes on from every suspension to the end, and does nothing twice", async () => {
  for (const [point, manners, , suspend] of ROWS) {
    if (suspend.endsWith("final_answer")) continue;
    for (const manner of manners) {
      const { store, log } = await aborted(point, manner, { onAbort: "suspend" });
      const { agent, request, model, executor } = fresh(store);
      const options = point.name === "approval"
        ? { approveAction: { id: "me", decide: () => ({ allow: true }) as const } }
        : {};
      const { stopReason, steps } = await resume(agent, request, { now, ...options });
      assertEquals(stopReason, "final_answer");
      const recorded = log.open?.actions ?? log.steps[0]?.actions ?? [];
      const done = recorded.map(({ actionId }) => actionId);
      if (log.open?.openAction !== undefined) done.push(log.open.openAction.actionId);
      for (const { actionId } of executor.calls) assert(!done.includes(actionId), actionId);
      if (log.open?.reply !== undefined) {
        assert(model.calls.every(({ callId }) => callId !== log.open?.modelCallId));
      }
      const outcomes = steps.map(({ outcome }) => outcome);
      const unknown = log.open?.openAction !== undefined;
      assertEquals(outcomes, [unknown ? "action_outcome_unknown" : "acted", "final_answer"]);
      assertEquals(verifyLog((await store.readRun("r"))!).ok, true);
    }
  }
});

Deno.test("resume() ends a run as cancelled whose crash came between the cancelled step and its end", async () => {
  const { store } = await aborted({ name: "model" }, "obeys");
  const lines = (await store.readRun("r"))!;
  assertEquals(readLog(lines).finished?.stopReason, "cancelled");
  const crashed = await storeOf(lines.slice(0, -1));
  const model = scriptModel(SCRIPT);
  const agent = agentOf(model, { store: crashed, protocol: "native" });
  const request = requestOf({ toolProtocol: "native" });
  const { stopReason, steps } = await resume(agent, request, { now });
  assertEquals([stopReason, steps.length, model.calls.length], ["cancelled", 1, 0]);
  assertEquals(verifyLog((await crashed.readRun("r"))!).ok, true);
});
