/**
 * Records the logs of this schema, once before it is released; a released log is never recorded again:
 * `deno run -A tests/golden/record_golden.ts`.
 *
 * @module
 */
import { run } from "../../mod.ts";
import { LOG_SCHEMA } from "../../types/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { GOLDEN_RUNS, goldenClock } from "./golden_runs.ts";

const directory = new URL(`logs/${LOG_SCHEMA}/`, import.meta.url);
await Deno.mkdir(directory, { recursive: true });
for (const [name, { agent, request }] of Object.entries(GOLDEN_RUNS)) {
  const store = memoryStore();
  await run(agent(store), request, { now: goldenClock() });
  const lines = await store.readRun(request.runId);
  await Deno.writeTextFile(new URL(`${name}.jsonl`, directory), `${lines!.join("\n")}\n`);
}
