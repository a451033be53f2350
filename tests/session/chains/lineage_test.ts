import { assert, assertEquals, assertThrows } from "@std/assert";
import { buildContext, type ContextSection } from "../../../logic/context/mod.ts";
import { InvalidRequestError, resume, run, type RunRequest } from "../../../mod.ts";
import { continued, defineRun, readLog, requestInputs, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { digest } from "../../../types/mod.ts";
import { forged } from "../logs/forged.ts";
import { agentOf, hearing, now, rejection, requestOf, tellingStore } from "../world.ts";
import { made } from "./chain_world.ts";

const derivedFrom = {
  runId: "q",
  logHead: digest("q"),
  steps: 2,
  historySteps: 5,
  root: "p",
};
const parent = { runId: "boss", actionId: "boss/s0_a0" };

Deno.test("run() records where a run comes from, tells it to sinks, and gives it to who makes the request again", async () => {
  const store = memoryStore();
  const events = hearing();
  const request = requestOf({ derivedFrom, parent });
  await run(agentOf(["answer 1"], { store, events }), request, { now });
  const log = readLog((await store.readRun("r"))!);
  assertEquals([log.started.derivedFrom, log.started.parent], [derivedFrom, parent]);
  assertEquals(log.settings.derivedFrom, derivedFrom);
  const [began] = events.heard;
  assert(began?.type === "run_started");
  assertEquals([began.derivedFrom, began.parent], [derivedFrom, parent]);
  const inputs = requestInputs(log);
  assertEquals([inputs.derivedFrom, inputs.parent], [derivedFrom, parent]);
  const snapshot = Object.entries(log.started.parameters)
    .filter(([key]) => /derived|parent/.test(key));
  assertEquals(Object.fromEntries(snapshot), {
    "request.derived_from.run_id": "q",
    "request.derived_from.log_head": digest("q"),
    "request.derived_from.steps": "2",
    "request.derived_from.history_steps": "5",
    "request.derived_from.root": "p",
  });
});

Deno.test("a run without an origin and a parent names neither", async () => {
  const { log } = await made(memoryStore(), "text", ["answer 1"]);
  assert(!("derivedFrom" in log.started) && !("parent" in log.started));
  assert(!("derivedFrom" in requestInputs(log)) && !("parent" in requestInputs(log)));
});

Deno.test("verifyLog() finds a record that names another origin than its parameters", async () => {
  const { lines } = await made(memoryStore(), "text", ["answer 1"], { derivedFrom });
  for (const other of [undefined, { ...derivedFrom, steps: 1 }]) {
    const lied = forged(
      lines,
      (record) => record.type === "run_started" ? { ...record, derivedFrom: other } : record,
    );
    assertEquals(verifyLog(lied).fault?.code, "inputs");
  }
});

/** What a store is asked when the first step of a run is cut off, and the run is resumed. */
async function resumedAsking(given: RunRequest, now_: RunRequest): Promise<readonly string[]> {
  const inner = memoryStore();
  const waiting = {
    call: () => Promise.reject(new Error("later")),
    parameters: () => ({ name: "script" }),
  };
  await rejection(
    run(agentOf(waiting, { store: inner }), given, { now, onModelFailure: "suspend" }),
  );
  const telling = tellingStore(inner);
  const tell = (name: string) => () => Promise.resolve(void telling.asked.push(name));
  const store = { ...telling, claimRun: tell("claimRun"), breakLease: tell("breakLease") };
  const { answer } = await resume(agentOf(["answer 1"], { store }), now_, { now });
  assertEquals(answer, "1");
  return telling.asked.slice(0, 3);
}

Deno.test("resume() takes a child over from whoever drives it, and compares its parent with nothing", async () => {
  assertEquals(await resumedAsking(requestOf({ parent }), requestOf({ parent })), [
    "readRun",
    "breakLease",
    "claimRun",
  ]);
  const grace = { cancelGraceMs: 20 };
  const other = { runId: "boss", actionId: "boss/s7_a0" };
  const asked = await resumedAsking(requestOf(grace), requestOf({ ...grace, parent: other }));
  assertEquals(asked.slice(0, 2), ["readRun", "breakLease"]);
  assertEquals((await resumedAsking(requestOf(), requestOf())).slice(0, 2), [
    "readRun",
    "claimRun",
  ]);
});

Deno.test("defineRun() gives a child half the grace of its parent, where neither says another", () => {
  const { cancelGraceMs: _, ...spec } = requestOf();
  assertEquals(defineRun(spec).cancelGraceMs, 5_000);
  assertEquals(defineRun({ ...spec, parent }).cancelGraceMs, 2_500);
  assertEquals(defineRun({ ...spec, parent, cancelGraceMs: 9 }).cancelGraceMs, 9);
});

Deno.test("buildContext() takes the calls of a recorded conversation, and of no later step", async () => {
  const { log } = await made(memoryStore(), "native", ["do a", "do b", "answer 1"]);
  const { context, derivedFrom: { historySteps } } = continued(log);
  const talk: ContextSection = {
    id: "talk",
    kind: "conversation",
    segment: "goal_level",
    trust: "user",
    priority: 0,
    source: "r",
    version: log.logHead,
    body: context.goalLevel,
  };
  const built = await buildContext([talk], { maxChars: 10_000, historySteps });
  assertEquals(
    JSON.stringify(built.context.goalLevel.map(({ role, content }) => [role, content])),
    JSON.stringify(context.goalLevel.map(({ role, content }) => [role, content])),
  );
  for (const fewer of [0, 1]) {
    const error = await rejection(buildContext([talk], { maxChars: 10_000, historySteps: fewer }));
    assert(error instanceof InvalidRequestError);
    assertEquals(error.value, `s${fewer}_a0`);
  }
});

Deno.test("defineRun() reads of an action's id which run its parent is, and takes no other beside it", () => {
  assertEquals(requestOf({ parent: { actionId: "a.b-1/s10_a2" } }).parent, {
    runId: "a.b-1",
    actionId: "a.b-1/s10_a2",
  });
  assertEquals(requestOf({ parent }).parent, parent);
  const wrong = [
    [{ runId: "chief", actionId: "boss/s0_a0" }, "parent.runId", 'belongs to run "boss"'],
    [{ actionId: "boss" }, "parent.actionId", "the id of an action"],
    [{ actionId: "boss/s0" }, "parent.actionId", "the id of an action"],
    [{ runId: "boss", actionId: "/s0_a0" }, "parent.actionId", "the id of an action"],
  ] as const;
  for (const [parent, field, words] of wrong) {
    const error = assertThrows(() => requestOf({ parent }), InvalidRequestError, words);
    assertEquals(error.field, field);
  }
});
