import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { InvalidRequestError, resume, run, textMessage } from "../../../mod.ts";
import {
  driftsOf,
  parameterSnapshot,
  readLog,
  requestInputs,
  type RunLog,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, now, requestOf } from "../world.ts";

const INJECTIONS = { c: [{ entryId: "x", content: "1" }] };
const CONTEXT = {
  runLevel: [textMessage("system", "rules")],
  goalLevel: [textMessage("user", "one"), textMessage("user", "two")],
};
const SPEC = { injections: INJECTIONS, context: CONTEXT, fingerprints: { recipe: "1" } };
const OPTIONS = { now, approveAction: { id: "me", decide: () => ({ allow: true } as const) } };

async function logOf(recordInputs = true): Promise<RunLog> {
  const store = memoryStore();
  await run(agentOf(["answer 1"], { store }), requestOf(SPEC), { ...OPTIONS, recordInputs });
  return readLog((await store.readRun("r"))!);
}

Deno.test("parameterSnapshot() is what a run records", async () => {
  const { started } = await logOf();
  assertEquals(parameterSnapshot(agentOf([]), requestOf(SPEC), OPTIONS), started.parameters);
  assert(!("request.callback.approve_action" in parameterSnapshot(agentOf([]), requestOf(SPEC))));
});

Deno.test("driftsOf() finds what resume() would refuse, and only that", async () => {
  const log = await logOf();
  assertEquals(driftsOf(log, agentOf([]), requestOf(SPEC), OPTIONS), []);
  const request = requestOf({ ...SPEC, budget: { maxSteps: 3 } });
  assertEquals(driftsOf(log, agentOf([]), request).map(({ key }) => key), [
    "request.budget.max_steps",
    "request.callback.approve_action",
  ]);
});

Deno.test("driftsOf() names the first message that differs, if the log has its inputs", async () => {
  const [log, bare] = [await logOf(), await logOf(false)];
  const { runLevel, goalLevel: [one, two] } = requestOf(SPEC).context;
  const other = textMessage("user", "other");
  const cases = [
    [{ context: { runLevel: [other], goalLevel: [one!, two!] } }, "run[0]"],
    [{ injections: { c: [{ entryId: "x", content: "2" }] } }, "injection:c/x#0"],
    [{ context: { runLevel, goalLevel: [one!, other] } }, "goal[1]"],
    [{ context: { runLevel, goalLevel: [one!] } }, "goal[1]"],
    [{ context: { runLevel, goalLevel: [one!, two!, other] } }, "goal[2]"],
  ] as const;
  for (const [changed, source] of cases) {
    const request = requestOf({ ...SPEC, ...changed });
    const [drift, ...more] = driftsOf(log, agentOf([]), request, OPTIONS);
    assertEquals([drift?.key, drift?.source, more], ["request.context", source, []]);
    const [unnamed] = driftsOf(bare, agentOf([]), request, OPTIONS);
    assertEquals(unnamed, { ...unnamed, key: "request.context" });
    assert(unnamed !== undefined && !("source" in unnamed));
  }
});

Deno.test("resume() names the first message that differs", async () => {
  const store = memoryStore();
  await run(agentOf(["answer 1"], { store }), requestOf(SPEC), OPTIONS);
  const context = { ...CONTEXT, goalLevel: [textMessage("user", "one!")] };
  await assertRejects(
    () => resume(agentOf([], { store }), requestOf({ ...SPEC, context }), OPTIONS),
    Error,
    "request.context (changed from goal[0] on: recorded ",
  );
});

Deno.test("requestInputs() gives what the request was made from, and refuses a log that has it not", async () => {
  const log = await logOf();
  assertEquals(requestInputs(log), {
    context: requestOf(SPEC).context,
    injections: INJECTIONS,
    fingerprints: { recipe: "1" },
  });
  assertEquals(driftsOf(log, agentOf([]), requestOf(requestInputs(log)), OPTIONS), []);
  const bare = await logOf(false);
  assertThrows(() => requestInputs(bare), InvalidRequestError, "recorded without its inputs");
});

Deno.test("the readers of a log refuse what readLog() cannot have given", () => {
  for (const wrong of [undefined, null, [], ["{}"], "r", { started: 1 }]) {
    for (
      const read of [
        () => requestInputs(wrong as unknown as RunLog),
        () => driftsOf(wrong as unknown as RunLog, agentOf([]), requestOf()),
      ]
    ) {
      assertThrows(read, InvalidRequestError, 'Cannot use "log" as it must be what readLog gives');
    }
  }
});
