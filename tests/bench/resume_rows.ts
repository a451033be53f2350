import { hash } from "node:crypto";
import { resume } from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { libraryRuns } from "./bench_runs.ts";
import { type Effort, microseconds, processorMs, race, type Row } from "./measure.ts";
import { agentOf, requestOf, workload } from "./workload.ts";

/** What it costs to read a finished run's log again, against `JSON.parse` of the same lines. */
export async function resumeRows({ rounds, fewRounds }: Effort): Promise<readonly Row[]> {
  const small = await resumeOf(5_000, rounds);
  const large = await resumeOf(20_000, fewRounds);
  const hashed = await resumeOf(20_000, fewRounds, (line) => {
    hash("sha256", line);
    return JSON.parse(line);
  });
  return [
    {
      name: "resume: JSON.parse ÷ 20000 entries",
      value: large.floor / large.subject,
      unit: "ratio",
      goal: { atLeast: 0.25 },
      detail: `${microseconds(large.floor, 20_000)} ÷ ${microseconds(large.subject, 20_000)}`,
    },
    {
      name: "resume: JSON.parse and one hash of each line ÷ 20000 entries",
      value: hashed.floor / hashed.subject,
      unit: "ratio",
      detail: `${microseconds(hashed.floor, 20_000)} ÷ ${microseconds(hashed.subject, 20_000)}`,
    },
    {
      name: "resume: an entry of 20000 ÷ an entry of 5000",
      value: large.subject / 20_000 / (small.subject / 5_000),
      unit: "ratio",
      goal: { atMost: 1.3 },
      detail: `JSON.parse: ${(large.floor / 20_000 / (small.floor / 5_000)).toFixed(2)}`,
    },
  ];
}

async function resumeOf(
  entries: number,
  rounds: number,
  read: (line: string) => unknown = (line) => JSON.parse(line),
) {
  const store = memoryStore();
  // A step has three entries; the first and the last one have none.
  const steps = Math.round((entries - 1) / 3);
  await libraryRuns(store, steps);
  const work = workload(steps);
  const agent = agentOf(work, store);
  const request = requestOf(work, "run-0");
  const lines = (await store.readRun("run-0"))!;
  return await race(processorMs, rounds, () => resume(agent, request), () => lines.map(read));
}
