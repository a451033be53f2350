import type { PeerFigures } from "../peer_program.ts";

/** What a program of the comparison is asked to do: see `peer_program.ts`. */
export type Task = readonly [variant: string, mode: string, calls: number, concurrency?: number];

/** The library's program, and the one that does the least that must be done. */
export const PEER: URL = new URL("../peer.ts", import.meta.url);
export const FLOOR: URL = new URL("../peer_floor.ts", import.meta.url);

/** The best of each figure. */
export interface Best {
  /** Microseconds. */
  readonly step: number;
  /** Microseconds of a step of the last tenth. */
  readonly lastTenth: number;
  /** Megabytes at the most. */
  readonly resident: number;
  /** Bytes that were written, of all steps. */
  readonly bytes: number;
}

/** The best figures of programs that take turns. */
export async function best(
  rounds: number,
  programs: readonly URL[],
  task: Task,
): Promise<readonly Best[]> {
  const all = programs.map((): PeerFigures[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, program] of programs.entries()) all[i]!.push(await figuresOf(program, task));
  }
  return all.map(bestOf);
}

/** What a program says that has a new folder; one that reads a run finds that run in it. */
async function figuresOf(program: URL, task: Task): Promise<PeerFigures> {
  const dir = Deno.makeTempDirSync();
  try {
    const [variant, mode, calls] = task;
    if (mode === "resume") await figures(PEER, [variant, "run", calls], dir);
    return await figures(program, task, dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

async function figures(
  { href }: URL,
  [variant, mode, calls, concurrency = 1]: Task,
  dir: string,
): Promise<PeerFigures> {
  const task = [variant, mode, `${calls}`, `${concurrency}`, dir];
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-config", "--no-lock", href, ...task],
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
    bytes: Math.min(...all.map((one) => one.bytes)),
  };
}
