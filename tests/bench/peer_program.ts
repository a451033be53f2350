/** What a program of the comparison was asked to do. */
export interface PeerTask {
  /** Where the log goes: the name of a store. */
  readonly variant: string;
  /** One run, many at once, or the reading of a finished one that an earlier `run` left in the folder. */
  readonly mode: "run" | "many" | "resume";
  /** How many model calls a run has. */
  readonly calls: number;
  /** How many runs there are at once. */
  readonly runs: number;
  readonly dir: string;
}

/** What a program of the comparison says, beside what it was asked. */
export interface PeerFigures {
  readonly steps: number;
  readonly microsecondsPerStep: number;
  /** The same for the last tenth of one run. */
  readonly lastTenthMicroseconds?: number | undefined;
  /** The bytes of all lines that were written. */
  readonly bytes: number;
  readonly barriers: number;
  /** The most memory that the process ever had, where the system tells; what it has at the end elsewhere. */
  readonly peakResidentBytes: number;
}

/** Reads `<variant> <mode> <calls> <concurrency> <dir>`. */
export function peerTask(program: string, variants: readonly string[]): PeerTask {
  const [variant = "", mode = "", n = "", concurrency = "", dir = "."] = Deno.args;
  const [calls, runs] = [Number(n), mode === "many" ? Number(concurrency) : 1];
  const isMode = mode === "run" || mode === "many" || mode === "resume";
  if (variants.includes(variant) && isMode && calls >= 1 && runs >= 1) {
    return { variant, mode, calls, runs, dir };
  }
  const usage = `${program} ${variants.join("|")} run|many|resume <calls> <concurrency> <dir>`;
  throw new Error(`usage: ${usage}`);
}

/** The ids of a task's runs. */
export function peerRunIds({ runs }: PeerTask): readonly string[] {
  return Array.from({ length: runs }, (_, index) => `peer-${index}`);
}

/** Runs a task's work and takes the time of all of it, and of the last tenth of one run. */
export async function timed(
  { calls, runs }: PeerTask,
  work: (onCall: (i: number) => void) => Promise<unknown>,
): Promise<Pick<PeerFigures, "steps" | "microsecondsPerStep" | "lastTenthMicroseconds">> {
  const lastTenth = Math.floor(calls * 0.9);
  let lastTenthMs: number | undefined;
  const startedMs = performance.now();
  await work((i) => {
    if (runs === 1 && i === lastTenth) lastTenthMs = performance.now();
  });
  const endedMs = performance.now();
  const steps = calls * runs;
  return {
    steps,
    microsecondsPerStep: (endedMs - startedMs) * 1_000 / steps,
    lastTenthMicroseconds: lastTenthMs === undefined
      ? undefined
      : (endedMs - lastTenthMs) * 1_000 / (calls - lastTenth),
  };
}

/** Prints one line of JSON and ends the process. */
export function sayFigures(
  { variant, mode, runs }: PeerTask,
  figures: Omit<PeerFigures, "peakResidentBytes">,
): never {
  const said = { variant, mode, runs, ...figures, peakResidentBytes: peakResidentBytes() };
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(said)}\n`));
  Deno.exit();
}

function peakResidentBytes(): number {
  try {
    const status = Deno.readTextFileSync("/proc/self/status");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
  } catch {
    return Deno.memoryUsage().rss;
  }
}
