import { type BoundedOutput, boundedOutput } from "../_process/bounded_output.ts";
import { readMarkedStream } from "./marked_stream.ts";
import { sandboxProgram } from "./host.ts";
import type { SandboxCell, SandboxSignal, SandboxStart } from "./protocol.ts";

/** What the sandbox's process is started with. */
export interface SandboxProcessOptions {
  /** Permission flags, such as `--allow-read=/data`. */
  readonly flags: readonly string[];
  /** The memory that it may hold, in MiB. */
  readonly maxMemoryMb: number;
  /** How many code points of each stream are held. */
  readonly maxOutputChars: number;
}

/** How a cell ended: with a signal, or with the end of the process. */
export type SandboxEnd = Exclude<SandboxSignal, "r"> | "died";

/** A running process of the sandbox. */
export interface SandboxProcess {
  /** What cells wrote to the console and to stdout. */
  readonly stdout: BoundedOutput;
  /** What they wrote to stderr; the engine too, when it dies. */
  readonly stderr: BoundedOutput;
  /** `r` once cells can be run. */
  readonly ready: Promise<"r" | "died">;
  /** Whether the process has ended, or said that it is about to. */
  isOver(): boolean;
  /** Runs a cell; settles once both streams have been read up to its end. */
  run(cell: SandboxCell): Promise<SandboxEnd>;
  /** Kills the process, and waits until it is gone and its streams are read. */
  kill(): Promise<void>;
}

const MIB = 1024 * 1024;

/** Starts a process. */
export function startSandboxProcess(options: SandboxProcessOptions): SandboxProcess {
  const nonce = crypto.randomUUID() + crypto.randomUUID();
  const child = spawn(options);
  const stdout = boundedOutput(options.maxOutputChars);
  const stderr = boundedOutput(options.maxOutputChars + ENGINE_REPORT_CHARS);
  const signals: SandboxSignal[] = []; // those heard on stdout
  let heardOnStderr = 0;
  let given = 0;
  let isGone = false;
  let wake = (): void => {};
  const gone = Promise.all([
    child.status,
    readMarkedStream(child.stdout, nonce, stdout, (letter) => {
      signals.push(letter as SandboxSignal);
      wake();
    }),
    readMarkedStream(child.stderr, nonce, stderr, () => {
      heardOnStderr++;
      wake();
    }),
  ]).then(() => {
    isGone = true;
    wake();
  });

  const nextSignal = async (): Promise<SandboxSignal | "died"> => {
    while (true) {
      const signal = given < heardOnStderr ? signals[given] : undefined;
      if (signal !== undefined) {
        given++;
        return signal;
      }
      if (isGone) return "died";
      await new Promise<void>((resolve) => wake = resolve);
    }
  };
  const writer = child.stdin.getWriter();
  const send = (line: SandboxStart | SandboxCell): void => {
    // a process that is gone cannot be written to; that it is gone is noticed where it is waited for
    writer.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`)).catch(() => {});
  };
  send({ nonce, maxMemoryBytes: options.maxMemoryMb * MIB });

  return {
    stdout,
    stderr,
    ready: nextSignal() as Promise<"r" | "died">,
    isOver: () => isGone || given < signals.length,
    run(cell) {
      send(cell);
      return nextSignal() as Promise<SandboxEnd>;
    },
    async kill() {
      end(child);
      await gone;
      await writer.close().catch(() => {});
    },
  };
}

/** How much more of stderr is held than is shown, so that the engine's report of its death is found. */
const ENGINE_REPORT_CHARS = 8_192;

/** Kills a process, unless it has ended by itself: which a killer may hear of late. */
function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

function spawn(options: SandboxProcessOptions): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...["--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-code-cache"],
      ...["--no-remote", "--no-npm", "--cached-only"],
      `--v8-flags=--max-old-space-size=${options.maxMemoryMb}`,
      ...options.flags,
      sandboxProgram(),
    ],
    // no folder of the parent's, none to clean up, and none above it that could hold a configuration
    cwd: Deno.build.os === "windows" ? "C:\\" : "/",
    clearEnv: true,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", DENO_DIR: "/dev/null/none" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}
