import { assert } from "@std/assert";
import type { RunOptions, RunStore } from "../../../mod.ts";
import { readLog, type RunLog, verifyLog } from "../../../session/mod.ts";
import { now } from "../world.ts";

/** Suspends at a place of its own: what it says to a call or an action is up to it. */
export function suspending(): { readonly abort: () => void; readonly options: RunOptions } {
  const controller = new AbortController();
  const options = { now, signal: controller.signal, onAbort: "suspend" } as const;
  return { abort: () => controller.abort("enough"), options };
}

/** A port that hears of nothing but its own signal: it rejects once that aborts. */
export function untilTold(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The log of run `r`, which verifies. */
export async function verified(store: RunStore): Promise<RunLog> {
  const lines = (await store.readRun("r"))!;
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  return readLog(lines);
}
