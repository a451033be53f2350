import { assert, assertEquals, assertRejects } from "@std/assert";
import { cutSections, InvalidRequestError, toolsSize } from "../../../types/mod.ts";
import { buildContext } from "../../../logic/context/mod.ts";
import {
  defineRun,
  driftsOf,
  parameterSnapshot,
  readLog,
  requestInputs,
  run,
  type RunSpec,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, hearing, now, wordExecutor } from "../../session/world.ts";
import { section } from "./generated_sections.ts";

/** A context for which a clock was asked, and in which not everything has room. */
function builtAt(time: number) {
  return buildContext([
    section({ id: "task", kind: "task", body: `What is the tide at ${time}?`, priority: 9 }),
    section({ id: "memory:notes", kind: "memory", body: "n".repeat(400), priority: 1 }),
    section({ id: "page", kind: "external", trust: "untrusted", body: "p".repeat(300) }),
  ], { maxChars: 260 });
}

const TASK: Omit<RunSpec, "context"> = {
  runId: "r",
  budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
  executor: wordExecutor(),
};

Deno.test("a log alone tells what of a built context was left out: the report is recorded, told and shown", async () => {
  const built = await builtAt(5);
  const store = memoryStore();
  const events = hearing();
  await run(agentOf(["answer 1"], { store, events }), defineRun({ ...TASK, ...built }), { now });
  const log = readLog((await store.readRun("r"))!);
  assertEquals<unknown>(log.started.inputs?.report, built.report);
  assert(cutSections(log.started.inputs?.report).includes("memory:notes was cut by 400 of 400"));
  const cuts = built.report.entries.flatMap((entry) =>
    entry.outcome === "source_failed" ? [] : (entry.messages ?? []).map(({ cutChars }) => cutChars)
  );
  const told = events.heard.find(({ type }) => type === "prompt_assembled");
  assert(told?.type === "prompt_assembled");
  assertEquals(told.newMessages.map(({ cutChars }) => cutChars).sort(), [...cuts].sort());
});

Deno.test("a receipt says how much of each message was cut", async () => {
  const { report: _, ...bare } = await builtAt(5);
  const report = {
    entries: [{ id: "x", messageRange: [0, 1], messages: [{ chars: 1, cutChars: 7 }] }],
  };
  const events = hearing();
  await run(agentOf(["answer 1"], { events }), defineRun({ ...TASK, ...bare, report }), { now });
  const told = events.heard.find(({ type }) => type === "prompt_assembled");
  assert(told?.type === "prompt_assembled");
  const [first, ...others] = told.newMessages.map(({ cutChars }) => cutChars);
  assertEquals([first, new Set(others)], [7, new Set(others.length === 0 ? [] : [undefined])]);
});

Deno.test("a report changes neither the snapshot nor the prompt, and what is no object is refused", async () => {
  const { report, ...bare } = await builtAt(5);
  const agent = agentOf([]);
  const [plain, told] = [defineRun({ ...TASK, ...bare }), defineRun({ ...TASK, ...bare, report })];
  assertEquals(parameterSnapshot(agent, told), parameterSnapshot(agent, plain));
  for (const wrong of [[1], "text", null]) {
    const spec = { ...TASK, ...bare, report: wrong as unknown as object };
    await assertRejects(() => Promise.try(() => defineRun(spec)), InvalidRequestError, "report");
  }
});

Deno.test("a run that a clock's context began is gone on with from its log, and not from another hour's", async () => {
  const store = memoryStore();
  const agent = agentOf(["answer 1"], { store });
  await run(agent, defineRun({ ...TASK, ...await builtAt(5) }), { now });
  const log = readLog((await store.readRun("r"))!);
  const again = defineRun({ ...TASK, ...requestInputs(log) });
  assertEquals(driftsOf(log, agent, again), []);
  assert(driftsOf(log, agent, defineRun({ ...TASK, ...await builtAt(6) })).length > 0);
});

Deno.test("buildContext() leaves the tools room", async () => {
  const sections = [
    section({ id: "task", kind: "task", body: "Wait.", priority: 9 }),
    section({ id: "memory", kind: "memory", body: "m".repeat(90), priority: 1 }),
  ];
  const tools = [{ name: "now", description: "Tells the time", parameters: { type: "object" } }];
  const sizeOf = async (spec: Parameters<typeof buildContext>[1]) =>
    (await buildContext(sections, spec)).report.totals.finalSize;
  const left = 120 - toolsSize(tools);
  assertEquals(await sizeOf({ maxChars: 120, tools }), await sizeOf({ maxChars: left }));
  assert(await sizeOf({ maxChars: 120 }) > left);
  await assertRejects(() => sizeOf({ maxChars: 50, tools }), InvalidRequestError, "of the tools");
});
