import { assertEquals, assertGreater, assertRejects } from "@std/assert";
import { emptyExploration } from "./exploration.ts";
import { runTask, SHORT_TASKS, USUAL_TASKS } from "./exploration_task.ts";
import { add } from "./explore_tasks.ts";
import { INVARIANTS } from "./invariants.ts";
import { STORES } from "./media/make_medium.ts";
import { replay } from "./replay.ts";
import { SEEDED_BUGS } from "./seeded/seeded_bugs.ts";
import { SUBJECT } from "./subject.ts";

Deno.test("the exploration finds nothing in its short form", async () => {
  const sum = emptyExploration();
  for (const task of SHORT_TASKS) add(sum, (await runTask(task)).exploration);
  assertEquals(sum.findings, []);
  assertGreater(sum.states, 3_000);
  assertGreater(sum.errors, 200);
  assertGreater(sum.interleavings, 70);
});

Deno.test("the exploration has 12 scripts over every store, and a seeded bug for every invariant", () => {
  for (const store of STORES) {
    const scripts = USUAL_TASKS.flatMap((task) =>
      task.kind === "crashes" && task.store === store ? [task.script] : []
    );
    assertGreater(new Set(scripts).size, 11);
  }
  const alone = SEEDED_BUGS.filter(({ alone }) => alone).map(({ invariant }) => invariant);
  assertEquals(new Set(alone), new Set(Object.keys(INVARIANTS)));
  assertGreater(SEEDED_BUGS.length, 11);
});

Deno.test("replay() refuses a state that is not there", async () => {
  await assertRejects(() => replay(SUBJECT, "answer/jsonl/write-99:before/0"), Error, "write-99");
  await assertRejects(() => replay(SUBJECT, "nobody/jsonl"), Error, "nobody");
  await assertRejects(() => replay(SUBJECT, "answer/paper"), Error, "paper");
});

Deno.test("every state of the corpus holds", async () => {
  const corpus = await Deno.readTextFile(new URL("corpus/states.txt", import.meta.url));
  const states = corpus.split("\n").map((line) => line.split("#")[0]!.trim()).filter(Boolean);
  assertGreater(states.length, 4);
  for (const state of states) assertEquals((await replay(SUBJECT, state)).findings, [], state);
});
