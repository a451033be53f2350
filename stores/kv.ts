/**
 * A store that keeps runs in Deno KV: on Deno Deploy and for many hosts, or locally in a SQLite file.
 *
 * @example
 * ```ts
 * import { kvStore } from "@polyloop/polyloop/stores/kv";
 * import { assertEquals } from "@std/assert";
 *
 * // On Deno Deploy without a path; elsewhere with `--unstable-kv`.
 * using kv = await Deno.openKv(":memory:");
 * const store = kvStore({ kv });
 * assertEquals(await store.readRun("demo-1"), null);
 * assertEquals(await store.listRuns({ unfinished: true }), []);
 * ```
 *
 * @module
 */
import type { RunStore } from "../ports/mod.ts";
import {
  InvalidRequestError,
  type LogEntry,
  refuseUnknownFields,
  type RunCatalog,
} from "../types/mod.ts";
import type { KvDatabase } from "./_kv/database.ts";
import { KvRuns } from "./_kv/runs.ts";
import { checkRunId } from "./_log/run_id.ts";

export type { KvAtomicOperation, KvDatabase, KvStoreKey } from "./_kv/database.ts";

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
  refuseUnknownFields<KvStoreOptions>(options, { kv: true }, { prefix: "kvStore." });
  const { kv } = options;
  if (["get", "list", "atomic"].some((name) => typeof Object(kv)[name] !== "function")) {
    throw new InvalidRequestError("kvStore.kv", kv, "it must be what Deno.openKv() gives");
  }
  const runs = new KvRuns(kv);
  async function append(runId: string, entry: LogEntry, finishes: boolean): Promise<void> {
    checkRunId(runId);
    await runs.append(runId, entry, finishes);
  }
  return {
    async readRun(runId) {
      checkRunId(runId);
      return await runs.read(runId);
    },
    async startRun(runId, entry) {
      checkRunId(runId);
      await runs.start(runId, entry);
    },
    writeIntent: (runId, entry) => append(runId, entry, false),
    writeOutcome: (runId, entry) => append(runId, entry, false),
    finishRun: (runId, entry) => append(runId, entry, true),
    releaseRun: (runId) => Promise.resolve(runs.release(runId)),
    parameters: () => ({}),
    async listRuns({ unfinished = false } = {}) {
      return (await runs.list(unfinished)).sort();
    },
    readLines: (runId) => runs.lines(runId),
    readRuns: () => runs.runs(),
    async deleteRun(runId) {
      checkRunId(runId);
      return await runs.remove(runId);
    },
  };
}
