import type { RunStore } from "../../ports/mod.ts";
import { RunLogCorruptError } from "../../types/mod.ts";

/** The first id of `<id>`, `<id>-2`, `<id>-3` and so on by which a store holds no run. */
export async function freeRunId(store: RunStore, runId: string): Promise<string> {
  let free = runId;
  for (let n = 2; await isTaken(store, free); n++) free = `${runId}-${n}`;
  return free;
}

async function isTaken(store: RunStore, runId: string): Promise<boolean> {
  try {
    return await store.readRun(runId) !== null;
  } catch (error) {
    if (error instanceof RunLogCorruptError) return true;
    throw error;
  }
}
