/**
 * A program that drives executors, in a process of its own, and what becomes of what it started when it is ended.
 *
 * @module
 */
import { livelyCommands } from "./lively_commands.ts";

/** What a driver runs, all of it at once. Each process writes its id, as the name of a file, to the folder. */
export interface DriverWork {
  readonly folder: string;
  /** Commands of a shell. */
  readonly commands: readonly string[];
  /** Cells, each in a sandbox of its own. */
  readonly cells: readonly string[];
}

/** Ends a driver of lively commands, all of them or the first few; see {@link endDriver}. */
export function endCommands(signal: Deno.Signal, few?: number): Promise<number> {
  return endDriver(signal, (folder) => ({
    folder,
    commands: livelyCommands(folder).slice(0, few),
    cells: [],
  }));
}

/** Kills a driver of cells; see {@link endDriver}. */
export function killCells(cells: readonly string[]): Promise<number> {
  const own = (folder: string): string =>
    `Deno.writeTextFileSync(${JSON.stringify(`${folder}/`)} + process.pid, "");\n`;
  return endDriver("SIGKILL", (folder) => ({
    folder,
    commands: [],
    cells: cells.map((cell) => own(folder) + cell),
  }));
}

/**
 * Starts a driver, ends it once there is an id for each of its commands and cells, and waits until it and all of them are gone.
 * Resolves with how long that took, in ms.
 */
async function endDriver(
  signal: Deno.Signal,
  workIn: (folder: string) => DriverWork,
): Promise<number> {
  const folder = await Deno.makeTempDir();
  const work = workIn(folder);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-lock", "--no-check", "-A"],
      import.meta.resolve("./driver_program.ts"),
      JSON.stringify(work),
    ],
    stdin: "null",
  }).spawn();
  try {
    await until(() => pidsIn(folder).length >= work.commands.length + work.cells.length);
    const start = performance.now();
    child.kill(signal);
    await child.status;
    for (const pid of pidsIn(folder)) await until(() => !isAlive(pid));
    return performance.now() - start;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The ids that were written. */
function pidsIn(folder: string): readonly number[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => Number(name)).filter(Number.isFinite);
}

/** Whether there is a process that can still do anything. */
export function isAlive(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || /No such process/.test(String(error))) {
      return false;
    }
    throw error;
  }
}

/** Waits until something holds; fails where it takes half a minute. */
export async function until(holds: () => boolean): Promise<void> {
  for (const start = performance.now(); !holds();) {
    if (performance.now() - start > 30_000) throw new Error(`It never held: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
