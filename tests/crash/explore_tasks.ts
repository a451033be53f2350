import type { Catch } from "./seeded/hunt.ts";
import { emptyExploration, type Exploration } from "./exploration.ts";
import type { ExplorationTask, TaskResult } from "./exploration_task.ts";

/** All that an exploration came to. */
export interface Report {
  readonly exploration: Exploration;
  readonly catches: readonly Catch[];
}

/** Explores pieces in as many workers as there are cores. */
export async function exploreTasks(
  tasks: readonly ExplorationTask[],
  cores: number,
): Promise<Report> {
  const exploration = emptyExploration();
  const catches: Catch[] = [];
  const waiting = [...tasks];
  await Promise.all(Array.from({ length: cores }, async () => {
    const worker = new Worker(new URL("./exploration_worker.ts", import.meta.url), {
      type: "module",
    });
    try {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
        const result = await askWorker(worker, task);
        add(exploration, result.exploration);
        if (result.caught !== undefined) catches.push(result.caught);
      }
    } finally {
      worker.terminate();
    }
  }));
  return { exploration, catches };
}

function askWorker(worker: Worker, task: ExplorationTask): Promise<TaskResult> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(`${JSON.stringify(task)}: ${event.message}`));
    };
    worker.postMessage(task);
  });
}

/** Adds what a piece came to. */
export function add(sum: Exploration, { findings, ...counts }: Exploration): void {
  sum.findings.push(...findings);
  for (const [name, count] of Object.entries(counts)) sum[name as keyof typeof counts] += count;
}
