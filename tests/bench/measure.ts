import process from "node:process";

/** How much work a measurement is worth: more rounds find a quieter moment of the machine. */
export interface Effort {
  /** The rounds of a measurement that takes some milliseconds. */
  readonly rounds: number;
  /** The rounds of one that takes longer, or starts processes. */
  readonly fewRounds: number;
}

/** What a race gave. */
export interface Raced {
  /** The subject's best round, in milliseconds. */
  readonly subject: number;
  /** The floor's best round, in milliseconds. */
  readonly floor: number;
  /** Subject ÷ floor, each of the same round: the median. */
  readonly median: number;
}

/** What a round runs. It makes what it needs anew each time. */
export type Body = () => unknown;

/**
 * The time that the processors gave this process, all of its threads, in milliseconds: for work that never waits. What
 * else the machine does makes the clock on the wall run on, and this hardly.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The time on the wall in milliseconds: for work that waits for a disk. */
export function wallMs(): number {
  return performance.now();
}

/**
 * Runs subject and floor by turns. The best round is the one that was disturbed least; where what disturbs is slow to
 * change, as with a disk that others use, the two of one round are the better pair.
 */
export async function race(
  clock: () => number,
  rounds: number,
  subject: Body,
  floor: Body,
): Promise<Raced> {
  const subjects: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round++) {
    subjects.push(await timeOf(clock, subject));
    floors.push(await timeOf(clock, floor));
  }
  const ratios = subjects.map((time, round) => time / floors[round]!).sort((a, b) => a - b);
  return {
    subject: Math.min(...subjects),
    floor: Math.min(...floors),
    median: ratios[ratios.length >> 1]!,
  };
}

async function timeOf(clock: () => number, body: Body): Promise<number> {
  const started = clock();
  await body();
  return clock() - started;
}

/** What a row says beside its value. */
export interface Goal {
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly value: number;
  /** `ratio` for most; a row in another unit says so. */
  readonly unit: "ratio" | "MB" | "ms" | "bytes" | "per step";
  /** Absent: the row is there to be looked at. */
  readonly goal?: Goal;
  /** What the value was made of, in figures that drift from machine to machine. */
  readonly detail: string;
}

/** Whether a row reaches its goal. */
export function reaches({ value, goal }: Row): boolean {
  return value <= (goal?.atMost ?? Infinity) && value >= (goal?.atLeast ?? -Infinity);
}

/** Microseconds for each of a number of things, as a text. */
export function microseconds(ms: number, count: number): string {
  return `${(ms * 1_000 / count).toFixed(2)} µs`;
}
