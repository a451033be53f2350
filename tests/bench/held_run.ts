/**
 * Makes a run of so many steps (0: none), holds its result and its log, and prints what memory the process has then: what
 * is alive on its heap, and what is resident, garbage that the engine has not given back included.
 *
 * @module
 */
import { run, type RunResult } from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { agentOf, requestOf, workload } from "./workload.ts";

declare const gc: () => void;

if (import.meta.main) {
  const steps = Number(Deno.args[0]);
  const store = memoryStore();
  const work = workload(steps);
  const held: RunResult[] = [];
  if (steps > 0) held.push(await run(agentOf(work, store), requestOf(work, "held")));
  gc();
  const { heapUsed, external, rss } = Deno.memoryUsage();
  const log = await store.readRun("held");
  const said = { alive: heapUsed + external, resident: rss, runs: held.length, log: log?.length };
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(said)));
}
