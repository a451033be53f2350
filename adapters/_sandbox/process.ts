import { digest } from "../../types/mod.ts";
import { type BoundedOutput, boundedOutput } from "../_process/bounded_output.ts";
import { type HeldGroup, holdGroup } from "../_process/held_group.ts";
import { sandboxCommand, type SandboxCommandOptions } from "./command.ts";
import { hostUrl, workerUrl } from "./host.ts";
import { readMarkedStream } from "./marked_stream.ts";
import {
  type SandboxCell,
  type SandboxSignal,
  type SandboxStart,
  secretSource,
} from "./protocol.ts";

/** What the sandbox's process is started with. */
export interface SandboxProcessOptions extends SandboxCommandOptions {
  /** How many code points of each stream are held. */
  readonly maxOutputChars: number;
}

/** How a cell ended: with a signal, or with the end of the process, be it before the cell could begin. */
export type SandboxEnd = Exclude<SandboxSignal, "r" | "b"> | "died" | "found_dead";

/** A running process of the sandbox. */
export interface SandboxProcess {
  /** What cells wrote to the console and to stdout. */
  readonly stdout: BoundedOutput;
  /** What they wrote to stderr; the engine too, when it dies. */
  readonly stderr: BoundedOutput;
  /** `r` once cells can be run. */
  readonly ready: Promise<"r" | "died">;
  /** Runs a cell; settles once both streams have been read up to its end. */
  run(cell: SandboxCell): Promise<SandboxEnd>;
  /** Kills the process, and waits until it is gone and its streams are read. */
  kill(): Promise<void>;
}

const MIB = 1024 * 1024;
/** What the stacks of all of Deno's threads take, in MiB. */
const STACKS_MB = 64;

/** Starts a process. */
export function startSandboxProcess(options: SandboxProcessOptions): SandboxProcess {
  const seed = crypto.randomUUID() + crypto.randomUUID();
  const child = sandboxCommand(hostUrl(), options).spawn();
  const group = holdProcess(child);
  const stdout = boundedOutput(options.maxOutputChars);
  const stderr = boundedOutput(options.maxOutputChars + ENGINE_REPORT_CHARS);
  const signals: SandboxSignal[] = []; // those heard on stdout
  let heardOnStderr = 0;
  let given = 0;
  let isGone = false;
  let wake = (): void => {};
  const markOf = (number: number): string =>
    digest(secretSource(seed, number)).slice("sha256:".length);
  const gone = Promise.all([
    child.status,
    readMarkedStream(child.stdout, markOf, stdout, (letter) => {
      signals.push(letter as SandboxSignal);
      wake();
    }),
    readMarkedStream(child.stderr, markOf, stderr, () => {
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
  send({ workerUrl: workerUrl(), seed, maxMemoryBytes: options.memoryMb * MIB });

  const start = async (): Promise<"r" | "died"> => {
    if (await nextSignal() === "died") return "died";
    await group.limitMemory(options.memoryMb + STACKS_MB);
    return "r";
  };

  return {
    stdout,
    stderr,
    ready: start(),
    async run(cell) {
      send(cell);
      return await nextSignal() === "b" ? await nextSignal() as SandboxEnd : "found_dead";
    },
    async kill() {
      await group.kill();
      await gone;
      await writer.close().catch(() => {});
    },
  };
}

/** How much more of stderr is held than is shown, so that the engine's report of its death is found. */
const ENGINE_REPORT_CHARS = 8_192;

function holdProcess(child: Deno.ChildProcess): HeldGroup {
  if (Deno.build.os !== "windows") return holdGroup(child.pid);
  return {
    limitMemory: () => Promise.resolve(),
    async kill() {
      try {
        child.kill("SIGKILL");
      } catch (error) {
        // it has ended by itself, which a killer may hear of late
        if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
      }
      await child.status;
    },
  };
}
