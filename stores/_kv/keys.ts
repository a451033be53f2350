import type { KvStoreKey } from "./database.ts";

/** Where all keys are. */
export const ROOT = ["polyloop", "v1"] as const;

/** How all keys are read. */
export const STRONG = { consistency: "strong" } as const;

/** The key that is there as long as the run is; its value is the run's origin. */
export function runKey(runId: string): KvStoreKey {
  return [...ROOT, "run", runId];
}

/** The key that is there until the run has finished. */
export function unfinishedKey(runId: string): KvStoreKey {
  return [...ROOT, "unfinished", runId];
}

/** The key that holds who has the run, and until when: it is there while that lasts. */
export function leaseKey(runId: string): KvStoreKey {
  return [...ROOT, "lease", runId];
}

/** The key of an entry. */
export function entryKey(runId: string, origin: string, seq: number): KvStoreKey {
  return [...ROOT, "entry", runId, origin, seq];
}

/** Selects the entries of a run. */
export function entriesOf(runId: string, origin: string): { readonly prefix: KvStoreKey } {
  return { prefix: [...ROOT, "entry", runId, origin] };
}

/** The prefix of the chunks of an entry. */
export function chunksOf(runId: string, origin: string, token: string): KvStoreKey {
  return [...ROOT, "chunk", runId, origin, token];
}

/** The key of an entry's first chunk: it is the first that is written, and the first that a removal takes. */
export function firstChunkKey(runId: string, origin: string, token: string): KvStoreKey {
  return [...chunksOf(runId, origin, token), 0];
}

/**
 * Selects the keys of a run and of those after it. A database that passes over the start, as one of somebody's own may,
 * gives others first.
 */
export function runsFrom(
  runId: string,
): { readonly prefix: KvStoreKey; readonly start: KvStoreKey } {
  return { prefix: [...ROOT, "run"], start: runKey(runId) };
}

/** Selects the entries of a run and of those after it, in the same way. */
export function entriesFrom(
  runId: string,
): { readonly prefix: KvStoreKey; readonly start: KvStoreKey } {
  return { prefix: [...ROOT, "entry"], start: [...ROOT, "entry", runId] };
}
