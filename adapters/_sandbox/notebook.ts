import { EnvironmentError } from "../../types/mod.ts";
import { withinTime } from "../_process/within_time.ts";
import { findWayOut } from "./find_way_out.ts";
import type { CellEnd, CellLimits } from "./outcome.ts";
import { type SandboxProcess, type SandboxProcessOptions, startSandboxProcess } from "./process.ts";
import type { SandboxCell } from "./protocol.ts";

/** A process for cells, started when it is needed and ended when it must not go on. */
export interface Notebook {
  /**
   * Runs a cell.
   *
   * @returns The process, which may be gone, for what it wrote, and how the cell ended.
   * @throws {EnvironmentError} If there is no process and none can be started.
   */
  run(cell: SandboxCell, signal: AbortSignal): Promise<readonly [SandboxProcess, CellEnd]>;
  /** Ends the process and waits until it is gone; there will be no other. */
  close(): Promise<void>;
}

/** How long a process may take to be ready, in milliseconds. */
const START_TIMEOUT_MS = 60_000;
/** How long the folders may take to be looked through, in milliseconds: code may make files meanwhile, without end. */
const LOOK_TIMEOUT_MS = 60_000;

/** Makes a notebook; its process starts with the first cell. */
export function notebook(options: SandboxProcessOptions & CellLimits): Notebook {
  const { permissions, isolation, timeoutMs } = options;
  let process: SandboxProcess | undefined;
  let isClosed = false;
  const discard = async (): Promise<void> => {
    const gone = process;
    process = undefined;
    await gone?.kill();
  };
  const wayOut = async (signal: AbortSignal): Promise<string | undefined> => {
    if (isolation !== "deno") return undefined;
    const looking = new AbortController();
    const way = await withinTime(findWayOut(permissions, looking.signal), LOOK_TIMEOUT_MS, signal);
    looking.abort();
    if (way === "aborted") throw signal.reason;
    return way === "timed_out" ? "its folders take too long to be looked through" : way;
  };

  const start = async (signal: AbortSignal): Promise<SandboxProcess> => {
    const way = await wayOut(signal);
    if (way !== undefined) {
      throw cannotRun(`${way}: take it away, or run the code with isolation "bubblewrap"`);
    }
    if (isClosed) throw cannotRun("the sandbox is closed");
    const started = process = startSandboxProcess(options);
    const ready = await withinTime(started.ready, START_TIMEOUT_MS, signal);
    if (ready === "r") return started;
    await discard();
    if (ready === "aborted") throw signal.reason;
    if (isClosed) throw cannotRun("the sandbox is closed");
    const { beginning, end } = started.stderr.take();
    const became = ready === "died" ? "ended" : "was not ready in time";
    throw cannotRun(`its process ${became}: ${(beginning + end).trim()}`);
  };
  const endOf = async (
    current: SandboxProcess,
    cell: SandboxCell,
    signal: AbortSignal,
  ): Promise<CellEnd> => {
    const end = await withinTime(current.run(cell), timeoutMs, signal);
    if (end === "aborted") throw signal.reason;
    if (isClosed) return "closed";
    if (end !== "s" && end !== "f") return end;
    const way = await wayOut(signal);
    return way === undefined ? end : { wayOut: way };
  };

  return {
    async run(cell, signal) {
      const current = process ?? await start(signal);
      let end: CellEnd | undefined;
      try {
        end = await endOf(current, cell, signal);
      } finally {
        if (end !== "s" && end !== "f") await discard();
      }
      return [current, end];
    },
    async close() {
      isClosed = true;
      await discard();
    },
  };
}

function cannotRun(reason: string): EnvironmentError {
  return new EnvironmentError(`Cannot run the code as ${reason}`);
}
