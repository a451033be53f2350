/** How much work a measurement is worth: more rounds find a quieter moment of the machine. */
export interface Effort {
  /** The rounds of a measurement that takes some milliseconds. */
  readonly rounds: number;
  /** The rounds of one that takes longer, or starts processes. */
  readonly fewRounds: number;
}

/** What is measured, in its best round: milliseconds. */
export interface Best {
  readonly subject: number;
  readonly floor: number;
}

/** What a round runs. It makes what it needs anew each time. */
export type Body = () => unknown;

/**
 * Runs subject and floor by turns and gives the best time of each: whatever else the machine does makes a round slower,
 * never faster.
 */
export async function race(rounds: number, subject: Body, floor: Body): Promise<Best> {
  let best: Best = { subject: Infinity, floor: Infinity };
  for (let round = 0; round < rounds; round++) {
    best = {
      subject: Math.min(best.subject, await timeOf(subject)),
      floor: Math.min(best.floor, await timeOf(floor)),
    };
  }
  return best;
}

async function timeOf(body: Body): Promise<number> {
  const startedMs = performance.now();
  await body();
  return performance.now() - startedMs;
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
  readonly unit: "ratio" | "MB" | "ms" | "per step";
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
