import type { Effort, Row } from "../measure.ts";
import type { PeerFigures } from "../peer_program.ts";

type Program = "peer" | "peer_floor";
type Task = readonly [variant: string, mode: string, calls: number, concurrency?: number];

/**
 * What a step costs by the native protocol, each figure from a process of its own that has done nothing before: so users
 * and comparisons with other libraries meet it. Of each figure the best round counts.
 */
export async function nativeRows({ fewRounds }: Effort): Promise<readonly Row[]> {
  const thousand = await contest(fewRounds, ["default", "run", 1_000]);
  const tenThousand = await contest(fewRounds, ["default", "run", 10_000]);
  const file = await contest(fewRounds, ["jsonl", "run", 1_000]);
  const reading = await contest(fewRounds, ["jsonl", "resume", 1_000]);
  const many = await contest(fewRounds, ["default", "many", 20, 200]);
  const [inSqlite] = await best(fewRounds, ["peer"], ["sqlite", "many", 20, 200]);
  const grown = (side: keyof Contest) => tenThousand[side].step / thousand[side].step;
  return [
    row("memory, 1000 steps ÷ floor", ratio(thousand, "step", "µs"), 2.8),
    row("memory, the last tenth of 1000 ÷ floor", ratio(thousand, "lastTenth", "µs"), 1.6),
    row(
      "memory, a step of 10000 ÷ a step of 1000",
      { value: grown("subject"), detail: `the floor's: ${grown("floor").toFixed(2)}` },
      1.05,
    ),
    row("memory, 10000 steps ÷ floor", ratio(tenThousand, "step", "µs")),
    row("resident at 10000 steps ÷ floor", ratio(tenThousand, "resident", "MB"), 1.2),
    row("jsonl, 1000 steps ÷ floor", ratio(file, "step", "µs"), 1.5),
    row("resume of 1000 steps ÷ JSON.parse", ratio(reading, "step", "µs"), 10),
    row("memory, 200 runs of 20 steps ÷ floor", ratio(many, "step", "µs")),
    row(
      "sqlite, 200 runs of 20 steps ÷ memory",
      ratio({ subject: inSqlite!, floor: many.subject }, "step", "µs"),
    ),
  ];
}

/** The best of each figure: microseconds of a step, and megabytes at the most. */
interface Best {
  readonly step: number;
  readonly lastTenth: number;
  readonly resident: number;
}

interface Contest {
  readonly subject: Best;
  readonly floor: Best;
}

async function contest(rounds: number, task: Task): Promise<Contest> {
  const [subject, floor] = await best(rounds, ["peer", "peer_floor"], task);
  return { subject: subject!, floor: floor! };
}

/** The best figures of programs that take turns. */
async function best(
  rounds: number,
  programs: readonly Program[],
  task: Task,
): Promise<readonly Best[]> {
  const all = programs.map((): PeerFigures[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, program] of programs.entries()) all[i]!.push(await figuresOf(program, task));
  }
  return all.map(bestOf);
}

/** What a program says that has a new folder; one that reads a run finds that run in it. */
async function figuresOf(program: Program, task: Task): Promise<PeerFigures> {
  const dir = Deno.makeTempDirSync();
  try {
    const [variant, mode, calls] = task;
    if (mode === "resume") await figures("peer", [variant, "run", calls], dir);
    return await figures(program, task, dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

async function figures(
  program: Program,
  [variant, mode, calls, concurrency = 1]: Task,
  dir: string,
): Promise<PeerFigures> {
  const script = new URL(`../${program}.ts`, import.meta.url).href;
  const task = [variant, mode, `${calls}`, `${concurrency}`, dir];
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-config", "--no-lock", script, ...task],
  });
  const { success, stdout, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

function bestOf(all: readonly PeerFigures[]): Best {
  return {
    step: Math.min(...all.map((one) => one.microsecondsPerStep)),
    lastTenth: Math.min(...all.map((one) => one.lastTenthMicroseconds ?? Infinity)),
    resident: Math.min(...all.map((one) => one.peakResidentBytes)) / 1e6,
  };
}

type Measured = Pick<Row, "value" | "detail">;

function ratio({ subject, floor }: Contest, figure: keyof Best, unit: string): Measured {
  const shown = (value: number) => `${value.toFixed(1)} ${unit}`;
  return {
    value: subject[figure] / floor[figure],
    detail: `${shown(subject[figure])} ÷ ${shown(floor[figure])}`,
  };
}

function row(name: string, measured: Measured, atMost?: number): Row {
  const goal = atMost === undefined ? {} : { goal: { atMost } };
  return { name: `native: ${name}`, unit: "ratio", ...measured, ...goal };
}
