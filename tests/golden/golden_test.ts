import { assert, assertEquals } from "@std/assert";
import { resume } from "../../mod.ts";
import { LOG_SCHEMA } from "../../types/mod.ts";
import { readLog, rebuildPrompt, verifyLog } from "../../session/mod.ts";
import type { RunResult, RunStore } from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { GOLDEN_RUNS, goldenClock, type GoldenRun } from "./golden_runs.ts";

interface GoldenLog {
  readonly path: string;
  readonly run: GoldenRun;
  readonly lines: readonly string[];
}

const LOGS: GoldenLog[] = [];
for await (const { name: schema } of Deno.readDir(new URL("logs/", import.meta.url))) {
  for (const [name, run] of Object.entries(GOLDEN_RUNS)) {
    const path = `logs/${schema}/${name}.jsonl`;
    const text = await Deno.readTextFile(new URL(path, import.meta.url));
    LOGS.push({ path, run, lines: text.trimEnd().split("\n") });
  }
}

/** A store that holds some entries of a log already. */
async function holding(runId: string, lines: readonly string[]): Promise<RunStore> {
  const store = memoryStore();
  for (const [index, line] of lines.entries()) {
    const { seq, prev, hash } = JSON.parse(line);
    await store[index === 0 ? "startRun" : "writeOutcome"](runId, { seq, prev, hash, line });
  }
  await store.releaseRun(runId);
  return store;
}

async function resumed({ run, lines }: GoldenLog, entries = lines.length): Promise<RunResult> {
  const store = await holding(run.request.runId, lines.slice(0, entries));
  return await resume(run.agent(store), run.request, { now: goldenClock() });
}

Deno.test("there are golden logs of the present schema", () => {
  assert(LOGS.some(({ path }) => path.startsWith(`logs/${LOG_SCHEMA}/`)));
});

for (const log of LOGS) {
  Deno.test(`${log.path} decodes, and every prompt is rebuilt`, () => {
    assertEquals(verifyLog(log.lines).fault, undefined);
    const read = readLog(log.lines);
    for (const [index] of read.steps.entries()) rebuildPrompt(read, index);
  });

  Deno.test(`${log.path} resumes to the result that it records`, async () => {
    const result = await resumed(log);
    assertEquals(result.logHead, JSON.parse(log.lines.at(-1)!).hash);
    assertEquals(result.stopReason, "final_answer");
  });

  Deno.test(`${log.path} resumes from every entry to the same end`, async () => {
    const { stopReason, answer, counters, steps } = await resumed(log);
    for (let entries = 1; entries < log.lines.length; entries += 1) {
      const result = await resumed(log, entries);
      assertEquals([result.stopReason, result.answer], [stopReason, answer], `entry ${entries}`);
      assertEquals(result.counters.steps, counters.steps, `entry ${entries}`);
      assertEquals(
        result.steps.map((step) => step.promptDigest),
        steps.map((step) => step.promptDigest),
      );
    }
  });
}
