/**
 * A store that keeps runs in Deno KV: on Deno Deploy and for many hosts, or locally in a SQLite file.
 *
 * @example
 * ```ts ignore
 * import { kvStore } from "@polyloop/polyloop/stores/kv";
 *
 * const kv = await Deno.openKv(); // with --unstable-kv
 * const store = kvStore({ kv });
 * console.log(await store.listRuns({ unfinished: true }));
 * kv.close();
 * ```
 *
 * @module
 */
import type { RunStore } from "../ports/mod.ts";
import {
  compareCodePoints,
  type LogEntry,
  PolyLoopError,
  type RunCatalog,
  RunConflictError,
  RunExistsError,
  StoreFailedError,
} from "../types/mod.ts";
import { checkNext, checkRunId, emptyTail, missingRun } from "./_fence.ts";
import type { KvAtomicOperation, KvDatabase, KvStoreKey } from "./_kv_database.ts";
import { commitKv, type KvFinding, type KvOutcome, untilUnlocked } from "./_kv_commit.ts";
import {
  chunkCommits,
  entryKey,
  entryValue,
  type KvTail,
  readLines,
  readRunIds,
  readTail,
  readToken,
  removals,
  runKey,
  runRemoval,
  unfinishedKey,
} from "./_kv_log.ts";

export type { KvAtomicOperation, KvDatabase, KvStoreKey } from "./_kv_database.ts";

/** What {@link kvStore} needs. */
export interface KvStoreOptions {
  /** An opened `Deno.Kv`. The store uses the keys below `["polyloop", "v1"]`; it never closes it. */
  readonly kv: KvDatabase;
}

/**
 * Makes a store over an opened Deno KV; the module docs show one. It opens nothing, and needs no permission beside
 * what the opening needed.
 *
 * - **Barriers**: every write is an atomic commit and as durable as the database makes it, so an outcome is a barrier
 *   too. A commit of the local SQLite file survives the death of the process; on Deno Deploy it is replicated.
 * - **Sizes**: a line of more than 60,000 bytes is written as chunks under a fresh id first, and published by one small
 *   commit. A crash in between leaves chunks that nobody reads and `deleteRun` removes.
 * - **Two drivers** of a run, on one host or many, are kept apart by the log itself: a commit takes effect only if its
 *   entry's key is free and the run is still the one that was read. The slower driver meets a `RunConflictError`,
 *   however long it slept. There is no lock: `RunLockedError` is never thrown, and `deleteRun` takes a run from under
 *   its driver.
 * - **Failures** are a `StoreFailedError` that names the run. An error or a failed check is never believed: a random
 *   token beside the entry tells whether the commit took effect. A local database that other processes have locked is
 *   tried for some 5 seconds, after such a look each time.
 */
export function kvStore(options: KvStoreOptions): RunStore & RunCatalog {
  const { kv } = options;
  /** The tails of the runs written through this store and not yet released. */
  const held = new Map<string, KvTail>();
  /** The runs of which a write failed: they must be read again. */
  const refused = new Set<string>();

  async function append(runId: string, entry: LogEntry, finishes = false): Promise<void> {
    checkRunId(runId);
    if (refused.has(runId)) {
      throw new StoreFailedError(runId, "none", "a write of it failed: read the run again first");
    }
    let mustRead = !held.has(runId);
    try {
      const tail = held.get(runId) ?? await attempt(runId, () => readTail(kv, runId));
      if (tail === null) throw missingRun(runId, entry);
      checkNext(runId, tail, entry);
      mustRead = true;
      await publish(runId, entry, tail.origin, crypto.randomUUID(), (atomic) => {
        atomic.check({ key: runKey(runId), versionstamp: tail.versionstamp });
        if (finishes) atomic.delete(unfinishedKey(runId));
      });
      hold(runId, { ...tail, length: entry.seq + 1, hash: entry.hash });
    } catch (error) {
      const overtaken = (held.get(runId)?.length ?? 0) > entry.seq;
      if (mustRead && !overtaken) refused.add(runId);
      throw error;
    }
  }

  async function start(runId: string, entry: LogEntry): Promise<void> {
    checkRunId(runId);
    const run = await attempt(runId, () => kv.get(runKey(runId), { consistency: "strong" }));
    if (run.versionstamp !== null) throw new RunExistsError(runId);
    checkNext(runId, emptyTail(runId), entry);
    const origin = crypto.randomUUID();
    try {
      const versionstamp = await publish(runId, entry, origin, origin, (atomic) => {
        atomic.check({ key: runKey(runId), versionstamp: null });
        atomic.set(runKey(runId), origin).set(unfinishedKey(runId), true);
      });
      hold(runId, { length: 1, hash: entry.hash, origin, versionstamp });
    } catch (error) {
      throw error instanceof RunConflictError ? new RunExistsError(runId) : error;
    }
  }

  function hold(runId: string, tail: KvTail): void {
    held.set(runId, tail);
    refused.delete(runId);
  }

  /** Writes an entry's chunks, if it needs any, then the entry itself; gives the versionstamp of that commit. */
  async function publish(
    runId: string,
    entry: LogEntry,
    origin: string,
    token: string,
    complete: (atomic: KvAtomicOperation) => void,
  ): Promise<string> {
    const bytes = new TextEncoder().encode(entry.line);
    for (const commit of chunkCommits(kv, runId, origin, token, bytes)) {
      unlessFailed(runId, await commitKv(commit, () => Promise.resolve("absent")), "none");
    }
    const key = entryKey(runId, origin, entry.seq);
    const operation = () => {
      const atomic = kv.atomic().check({ key, versionstamp: null });
      complete(atomic);
      return atomic.set(key, entryValue(token, bytes));
    };
    const outcome = unlessFailed(runId, await commitKv(operation, () => lookFor(key, token)));
    if (outcome.kind === "refused") {
      const detail = "another driver has written to the run, or removed it";
      throw new RunConflictError(runId, entry.seq, detail);
    }
    return outcome.versionstamp;
  }

  async function lookFor(key: KvStoreKey, token: string): Promise<KvFinding> {
    const found = await readToken(kv, key);
    if (found === null) return "absent";
    return found.token === token ? found : "taken";
  }

  return {
    async readRun(runId) {
      checkRunId(runId);
      const log = await attempt(runId, () => readLines(kv, runId));
      const tail = held.get(runId);
      if (log?.origin !== tail?.origin || log?.lines.length !== tail?.length) held.delete(runId);
      refused.delete(runId);
      return log?.lines ?? null;
    },
    startRun: start,
    writeIntent: (runId, entry) => append(runId, entry),
    writeOutcome: (runId, entry) => append(runId, entry),
    finishRun: (runId, entry) => append(runId, entry, true),
    releaseRun: (runId) => Promise.resolve(void held.delete(runId)),
    parameters: () => ({}),
    async listRuns({ unfinished = false } = {}) {
      const ids = await attempt("", () => readRunIds(kv, unfinished));
      return ids.sort(compareCodePoints);
    },
    async deleteRun(runId) {
      checkRunId(runId);
      const run = await attempt(runId, () => kv.get(runKey(runId), { consistency: "strong" }));
      const remove = (operation: () => KvAtomicOperation) =>
        commitKv(operation, () => Promise.resolve("absent"));
      if (run.versionstamp !== null) unlessFailed(runId, await remove(runRemoval(kv, runId)));
      await attempt(runId, async () => {
        for await (const operation of removals(kv, runId)) {
          const outcome = unlessFailed(runId, await remove(operation));
          if (outcome.kind === "refused") return;
        }
      });
      return run.versionstamp !== null;
    },
  };
}

function unlessFailed(
  runId: string,
  outcome: KvOutcome,
  durability?: "none",
): Exclude<KvOutcome, { kind: "failed" }> {
  if (outcome.kind !== "failed") return outcome;
  throw kvFailure(runId, durability ?? outcome.durability, outcome.cause);
}

async function attempt<T>(runId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await untilUnlocked(read);
  } catch (error) {
    throw error instanceof PolyLoopError ? error : kvFailure(runId, "none", error);
  }
}

function kvFailure(
  runId: string,
  durability: "none" | "unknown",
  cause: unknown,
): StoreFailedError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new StoreFailedError(runId, durability, `the KV database failed: ${said}`, { cause });
}
