import { type BoundedOutput, boundedOutput } from "./bounded_output.ts";
import { holdGroup } from "./held_group.ts";

/** A shell that runs one command in a process group of its own, which ends when this process does. */
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

/**
 * Waits for a line on stdin, so that nothing runs before the group is held; then the command $1 has an empty stdin, no
 * arguments, and lines that are counted from its own first.
 */
const GATE = 'read -r go || exit; unset go; exec </dev/null; eval "set --; $1"';

/** What a shell is to run. */
export interface ShellCommand {
  /** The shell, such as `sh`. */
  readonly shell: string;
  /** What it takes as a script. */
  readonly command: string;
}

/** Starts a shell; throws if there is none, or no such folder. */
export function startShellProcess(
  options: ShellCommand & {
    readonly cwd: string;
    readonly env: Record<string, string>;
    readonly maxOutputChars: number;
  },
): ShellProcess {
  const child = new Deno.Command(options.shell, {
    args: ["-c", GATE, options.shell, options.command],
    cwd: options.cwd,
    env: options.env,
    clearEnv: true,
    detached: true, // a session, and so a process group, of its own
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const group = holdGroup(child.pid);
  const stdout = boundedOutput(options.maxOutputChars);
  const stderr = boundedOutput(options.maxOutputChars);
  const readers = [child.stdout.getReader(), child.stderr.getReader()] as const;
  const read = Promise.all([readAll(readers[0], stdout), readAll(readers[1], stderr)]);
  const stdin = child.stdin.getWriter();
  stdin.write(new TextEncoder().encode("\n")).catch(() => {}); // a shell that is gone is waited for
  stdin.close().catch(() => {});
  const killOnce = async (): Promise<void> => {
    await group.kill();
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
