import { errorInfo, isDeno, type MiddleCut } from "../../../types/mod.ts";
import { boundedOutput } from "../../_process/bounded_output.ts";
import { type HeldGroup, holdGroup } from "../../_process/held_group.ts";
import { withinTime } from "../../_process/within_time.ts";
import { notSent } from "../fault.ts";

/** A server that is a child of this process. */
export interface StdioCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that it starts in. Absent: this process's. */
  readonly cwd: string | undefined;
  /** Gets what it writes to stderr. */
  readonly onStderr: ((text: string) => void) | undefined;
}

/** A running server, which ends with this process, with all that it started. */
export interface ServerProcess {
  /** Writes to its stdin. Resolves when it has taken it, or is gone. */
  write(text: string): Promise<void>;
  /** What it writes to stdout, to the end. Called once. */
  output(): AsyncIterable<Uint8Array>;
  /** Waits for its end, or ends it: it is over once its stdout is. Says what became of it. */
  end(): Promise<string>;
  /** Ends it: closes its stdin, waits, asks it by SIGTERM, waits, and kills what is left. */
  stop(): Promise<void>;
}

/** How long a server has to end by itself where nothing is said, in milliseconds, and again after SIGTERM. */
const GRACE_MS = 2_000;

/** How long it may live, in milliseconds, after its stdout has ended; and how long what escaped may hold that open. */
const DRAIN_MS = 500;

/** How much of what it wrote to stderr an error quotes, in code points. */
const STDERR_CHARS = 500;

/**
 * Starts a server. It has `graceMs` milliseconds to end by itself when it is stopped.
 *
 * @throws {McpFault} If there is no such program or folder, it may not be run, or this is not Deno.
 */
export function startServerProcess(
  { command, args, env, cwd, onStderr }: StdioCommand,
  graceMs: number = GRACE_MS,
): ServerProcess {
  const { child, group } = spawn(command, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    detached: true, // a session, and so a process group, of its own
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...(cwd === undefined ? {} : { cwd }),
  });
  const stdin = child.stdin.getWriter();
  const [stdout, stderr] = [child.stdout.getReader(), child.stderr.getReader()];
  const { promise: stdoutEnd, resolve: endStdout } = Promise.withResolvers<void>();
  const lastWords = boundedOutput(STDERR_CHARS);
  const stderrEnd = readStderr(stderr, (bytes) => lastWords.write(bytes), onStderr);
  const endsWithin = async (ms: number): Promise<boolean> =>
    await withinTime(child.status, ms, new AbortController().signal) !== "timed_out";

  const killOnce = async (): Promise<void> => {
    await group.kill();
    await child.status;
    const letGo = () => [stdout, stderr].forEach((reader) => reader.cancel());
    const timer = setTimeout(letGo, DRAIN_MS); // what escaped from the group may hold them open
    await Promise.all([stdoutEnd, stderrEnd]);
    clearTimeout(timer);
    stdin.abort().catch(() => {});
  };
  let killed: Promise<void> | undefined;
  const kill = (): Promise<void> => killed ??= killOnce();
  child.status.then(kill);

  return {
    write: (text) => stdin.write(new TextEncoder().encode(text)).catch(() => {}),
    async *output() {
      try {
        yield* chunksOf(stdout);
      } finally {
        stdout.cancel(); // it may have been left in the middle
        endStdout();
      }
    },
    async end() {
      await endsWithin(DRAIN_MS);
      await kill();
      return endOf(await child.status, lastWords.take());
    },
    async stop() {
      stdin.close().catch(() => {});
      if (!await endsWithin(graceMs)) {
        terminate(child);
        await endsWithin(graceMs);
      }
      await kill();
    },
  };
}

/** Starts a program, and what ends it with this process. */
function spawn(
  command: string,
  options: Deno.CommandOptions,
): { readonly child: Deno.ChildProcess; readonly group: HeldGroup } {
  if (!isDeno()) {
    throw notSent("a server can be started as a process on Deno alone: reach it over HTTP");
  }
  let child: Deno.ChildProcess | undefined;
  try {
    child = new Deno.Command(command, options).spawn();
    return { child, group: holdGroup(child.pid) };
  } catch (error) {
    child?.kill("SIGKILL");
    const { name, message } = errorInfo(error);
    const isLine = name === "NotFound" && /\s/.test(command);
    const advice = isLine ? "; what follows the program goes into args" : "";
    throw notSent(`it cannot be started: ${name}: ${message}${advice}`);
  }
}

async function readStderr(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  keep: (bytes: Uint8Array) => void,
  tell: ((text: string) => void) | undefined,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of chunksOf(reader)) {
    keep(bytes);
    try {
      tell?.(decoder.decode(bytes, { stream: true }));
    } catch {
      // What a listener throws changes nothing here.
    }
  }
}

async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function terminate(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended just now.
  }
}

function endOf({ code, signal }: Deno.CommandStatus, stderr: MiddleCut): string {
  const end = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const { beginning, end: rest, truncatedChars } = stderr;
  const said = `${beginning}${truncatedChars > 0 ? " … " : ""}${rest}`.trim();
  return `the server ${end}${said === "" ? "" : `, and wrote to stderr: ${JSON.stringify(said)}`}`;
}
