/**
 * A program that drives executors, in a process of its own, and what becomes of what it started when it is ended.
 *
 * @module
 */

/** What a driver runs, all of it at once. */
export interface DriverWork {
  /** Commands of a shell. */
  readonly commands: readonly string[];
  /** Cells, each in a sandbox of its own. */
  readonly cells: readonly string[];
}

/** A running driver. */
export interface Driver {
  /** The processes of its sandboxes. */
  readonly pids: readonly number[];
  /** Ends it, and waits until neither it nor any of the processes is there. Resolves with how long that took, in ms. */
  end(signal: Deno.Signal, pids: readonly number[]): Promise<number>;
}

/** Starts a driver; resolves once its cells run. */
export async function startDriver(work: DriverWork): Promise<Driver> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-lock", "--no-check", "-A"],
      import.meta.resolve("./driver_program.ts"),
      JSON.stringify(work),
    ],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let said = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += piece;
    if (said.endsWith("\n")) break;
  }
  return {
    pids: JSON.parse(said),
    async end(signal, pids) {
      const start = performance.now();
      child.kill(signal);
      await child.status;
      for (const pid of pids) await until(async () => !(await isAlive(pid)));
      return performance.now() - start;
    },
  };
}

/** Whether there is a process that can still do anything. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || /No such process/.test(String(error))) {
      return false;
    }
    throw error;
  }
}

/** Waits until something holds; fails where it takes half a minute. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = performance.now(); !await holds();) {
    if (performance.now() - start > 30_000) throw new Error(`It never held: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
