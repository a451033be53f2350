import { memoryStore } from "../../stores/memory.ts";
import { bareRuns, libraryRuns, startOf } from "./bench_runs.ts";
import { type Effort, microseconds, processorMs, race, type Raced, type Row } from "./measure.ts";

/** What a step costs over the memory store, against the same work written bare. */
export async function memoryRows({ rounds, fewRounds }: Effort): Promise<readonly Row[]> {
  const hundred = await costOf(100, rounds * 10);
  const thousand = await costOf(1_000, rounds);
  const tenThousand = await costOf(10_000, fewRounds);
  const many = await costOf(20, rounds, 200);
  const abortable = await costOf(1_000, rounds, 1, new AbortController().signal);
  const cost = (steps: number, best: Raced, goal?: Row["goal"]): Row => ({
    name: `memory: a step of ${steps} ÷ floor`,
    value: best.subject / best.floor,
    unit: "ratio",
    ...(goal !== undefined && { goal }),
    detail: `${microseconds(best.subject, steps)} ÷ ${microseconds(best.floor, steps)}`,
  });
  const growth = (steps: number, best: Raced, atMost: number): Row => ({
    name: `memory: a step of ${steps} ÷ a step of 100`,
    value: best.subject / steps / (hundred.subject / 100),
    unit: "ratio",
    goal: { atMost },
    detail: `the floor's: ${(best.floor / steps / (hundred.floor / 100)).toFixed(2)}`,
  });
  return [
    cost(100, hundred),
    cost(1_000, thousand, { atMost: 2.5 }),
    cost(10_000, tenThousand),
    growth(1_000, thousand, 1.2),
    growth(10_000, tenThousand, 1.6),
    { ...cost(1_000, abortable), name: "memory: a step of 1000 with a signal ÷ floor" },
    {
      name: "memory: floor ÷ 200 concurrent runs of 20 steps",
      value: many.floor / many.subject,
      unit: "ratio",
      goal: { atLeast: 0.4 },
      detail: `${microseconds(many.floor, 4_000)} ÷ ${microseconds(many.subject, 4_000)}`,
    },
  ];
}

async function costOf(
  steps: number,
  rounds: number,
  concurrency = 1,
  signal?: AbortSignal,
): Promise<Raced> {
  const { started } = await startOf();
  const options = signal === undefined ? {} : { signal };
  return await race(
    processorMs,
    rounds,
    () => libraryRuns(memoryStore(), steps, concurrency, options),
    () => {
      const logs = new Map<string, string[]>();
      return bareRuns(steps, started, (runId) => {
        const lines: string[] = [];
        logs.set(runId, lines);
        return (line) => void lines.push(line);
      }, concurrency);
    },
  );
}
