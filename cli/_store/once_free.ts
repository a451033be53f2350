import { RunLockedError } from "../../types/mod.ts";
import type { Screen } from "../_screen.ts";

/**
 * Drives a run. Where another process has its lease, that is waited for and said in a line; if the run is locked then,
 * too, the other process lives.
 *
 * @param signal Ends the wait.
 * @throws What `drive` throws.
 */
export async function onceFree<T>(
  drive: () => Promise<T>,
  screen: Screen,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await drive();
  } catch (error) {
    if (!(error instanceof RunLockedError) || error.until === undefined) throw error;
    const end = new Date(error.until).toISOString();
    screen.complain(
      `waiting until ${end}: the process that drives run "${error.runId}" has it until then, if it is dead (--take-over does not wait)`,
    );
    await untilTime(error.until, signal);
    if (signal.aborted) throw error;
  }
  return await drive();
}

function untilTime(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, time - Date.now()) + 1);
    signal.addEventListener("abort", done);
  });
}
