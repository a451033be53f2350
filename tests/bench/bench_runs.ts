import { run, type RunOptions, type RunStore } from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import type { Start, WriteLine } from "./bare_log.ts";
import { bareRun } from "./floor.ts";
import { agentOf, requestOf, workload } from "./workload.ts";

/** Makes so many runs of so many steps at once over a store, by the library. */
export async function libraryRuns(
  store: RunStore,
  steps: number,
  concurrency = 1,
  options: RunOptions = {},
): Promise<void> {
  const work = workload(steps);
  const agent = agentOf(work, store);
  await Promise.all(
    runIds(concurrency).map((runId) => run(agent, requestOf(work, runId), options)),
  );
}

/** Makes the same runs bare; `writer` gives each its place to write to. */
export async function bareRuns(
  steps: number,
  started: string,
  writer: (runId: string) => WriteLine,
  concurrency = 1,
): Promise<void> {
  const work = workload(steps);
  await Promise.all(
    runIds(concurrency).map((runId) => bareRun({ runId, started }, work, Date.now, writer(runId))),
  );
}

/** The log of one run, as the library writes it. */
export async function logOf(steps: number, options: RunOptions = {}): Promise<readonly string[]> {
  const store = memoryStore();
  await libraryRuns(store, steps, 1, options);
  return (await store.readRun("run-0"))!;
}

/** What a floor needs to begin the run `run-0` as the library does. */
export async function startOf(options: RunOptions = {}): Promise<Start> {
  const [first] = await logOf(1, options);
  return { runId: "run-0", started: JSON.stringify(JSON.parse(first!).records[0]) };
}

function runIds(concurrency: number): readonly string[] {
  return Array.from({ length: concurrency }, (_, i) => `run-${i}`);
}
