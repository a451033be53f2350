import { type BoundedOutput, boundedOutput } from "./bounded_output.ts";

/** A shell that runs one command in a process group of its own. */
export interface ShellProcess {
  /** How the shell ended. */
  readonly status: Promise<Deno.CommandStatus>;
  /** What the command wrote to stdout. */
  readonly stdout: BoundedOutput;
  /** What it wrote to stderr. */
  readonly stderr: BoundedOutput;
  /** Kills whatever of the group is left, and waits until the shell is gone and what it wrote is read. */
  kill(): Promise<void>;
}

/** How long a process that escaped from the group may keep the output open, in milliseconds. */
const DRAIN_MS = 500;

/** Starts a shell; throws if there is none, or no such folder. */
export function startShellProcess(
  options: {
    readonly command: string;
    readonly cwd: string;
    readonly env: Record<string, string>;
    readonly maxOutputChars: number;
  },
): ShellProcess {
  const child = new Deno.Command("sh", {
    args: ["-c", "--", options.command],
    cwd: options.cwd,
    env: options.env,
    clearEnv: true,
    detached: true, // a session, and so a process group, of its own
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stdout = boundedOutput(options.maxOutputChars);
  const stderr = boundedOutput(options.maxOutputChars);
  const readers = [child.stdout.getReader(), child.stderr.getReader()] as const;
  const read = Promise.all([readAll(readers[0], stdout), readAll(readers[1], stderr)]);
  const killOnce = async (): Promise<void> => {
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // nobody of the group is left
    }
    await child.status;
    const timer = setTimeout(() => readers.forEach((reader) => reader.cancel()), DRAIN_MS);
    await read;
    clearTimeout(timer);
  };
  let killed: Promise<void> | undefined;
  return { status: child.status, stdout, stderr, kill: () => killed ??= killOnce() };
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  output: BoundedOutput,
): Promise<void> {
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    output.write(value);
  }
}
