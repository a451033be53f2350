import type { RunStore } from "../../ports/mod.ts";
import { readLog } from "../../session/mod.ts";
import {
  errorInfo,
  harmless,
  MODEL_CALL_ERROR_KINDS,
  type ModelCallErrorKind,
  PolyLoopError,
  present,
  RunExistsError,
  RunSuspendedError,
} from "../../types/mod.ts";
import type { Screen } from "../_screen.ts";
import { modelAdvice } from "./model_trouble.ts";
import { reportEnd } from "./report_end.ts";

/** A run that did not come to its end in this process. */
export interface StoppedRun {
  /** The store that it is in. */
  readonly store: RunStore;
  /** Its id. */
  readonly runId: string;
  /** The signal by which it was asked to stop. */
  readonly signal: AbortSignal;
  /** The words that go on with it. */
  readonly resumeWords: string;
}

/**
 * Tells why a run stopped before its end, and how it goes on: gives the exit code, or throws what is to be told by
 * itself.
 */
export async function reportStop(
  error: unknown,
  run: StoppedRun,
  screen: Screen,
): Promise<number> {
  if (error instanceof RunExistsError) return await reportExisting(error, run, screen);
  if (!(error instanceof RunSuspendedError)) {
    if (await canGoOn(error, run)) screen.complain(`the run can go on: ${run.resumeWords}`);
    throw error;
  }
  if (run.signal.aborted && error.cause === run.signal.reason) {
    screen.complain(`suspended: go on with: ${run.resumeWords}`);
    return 1;
  }
  const advice = modelAdvice(kindOf(error.cause));
  const mend = advice === undefined ? "" : ` ${advice}, and`;
  const { name, message } = errorInfo(error.cause);
  screen.complain(`suspended as its model call failed:${mend} go on with: ${run.resumeWords}`);
  screen.complain(`failed: ${harmless(`${name}: ${message}`)}`);
  return 1;
}

/** Of a run that was made before: what became of it, if it has finished. */
async function reportExisting(
  error: RunExistsError,
  { store, runId, resumeWords }: StoppedRun,
  screen: Screen,
): Promise<number> {
  const { finished, steps, logHead } = readLog(await store.readRun(runId) ?? []);
  if (finished === undefined) {
    const detail =
      `the store holds it already: ${resumeWords} goes on with it, --new makes another`;
    throw new Error(`Cannot start run "${runId}" as ${detail}`, { cause: error });
  }
  screen.complain(
    `run "${runId}" has finished before, and nothing was called now; --new makes another`,
  );
  const { stopReason, answer } = finished;
  return reportEnd(present({ runId, stopReason, answer, steps, logHead }), screen);
}

/** The library's own errors that leave a run to be resumed: a port or a callback gave junk, or the store failed. */
const LEAVING: readonly string[] = ["port_contract", "store_failed"];

/** Whether an error left a run that a resume goes on with. One that is not the library's a port or a callback threw. */
async function canGoOn(error: unknown, { store, runId }: StoppedRun): Promise<boolean> {
  if (error instanceof PolyLoopError && !LEAVING.includes(error.code)) return false;
  try {
    const lines = await store.readRun(runId);
    return lines !== null && readLog(lines).finished === undefined;
  } catch {
    return false; // what is wrong with the store is not what the run stopped for
  }
}

/** What a failed call met, also where another copy of the library made the error. */
function kindOf(error: unknown): ModelCallErrorKind | undefined {
  const { kind } = Object(error);
  return MODEL_CALL_ERROR_KINDS.find((known) => known === kind);
}
