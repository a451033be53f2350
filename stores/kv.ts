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
  type LeaseOptions,
  type LogEntry,
  refuseUnknownFields,
  requireDeno,
  type RunCatalog,
} from "../types/mod.ts";
import type { KvDatabase } from "./_kv/database.ts";
import { KvRuns } from "./_kv/runs.ts";
import { streamRun, streamRuns } from "./_kv/stream_runs.ts";
import { LEASE_FIELDS } from "./_lease/leases.ts";
import { checkRunId } from "./_log/run_id.ts";

export type { KvAtomicOperation, KvDatabase, KvStoreKey } from "./_kv/database.ts";

/** What {@link kvStore} needs: the database, and for how long a run is its driver's. */
export interface KvStoreOptions extends LeaseOptions {
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
 *   entry's key is free and the run has still the driver that it had. A driver that another one has taken the run from
 *   meets a `RunConflictError`, however long it slept.
 * - **Leases** keep a run for a driver that lives: until its lease runs out, or the run is released, another store finds
 *   it taken, with a `RunLockedError` that says until when. A driver that was killed blocks its run for that long; one of
 *   the same `leaseOwner` does not wait. A lease is renewed by one atomic commit, and no more once the database is closed.
 * - **Failures** are a `StoreFailedError` that names the run. An error or a failed check is never believed: a random
 *   token beside the entry tells whether the commit took effect. A local database that other processes have locked is
 *   tried for some 5 seconds, after such a look each time.
 *
 * @throws {InvalidRequestError} For an option that is not as it must be, or that there is not; on another runtime than
 * Deno.
 */
export function kvStore(options: KvStoreOptions): RunStore & RunCatalog {
  const known = { kv: true, ...LEASE_FIELDS };
  refuseUnknownFields<KvStoreOptions>(options, known, { prefix: "kvStore." });
  requireDeno("kvStore", "use ./stores/sqlite here");
  const { kv } = options;
  if (["get", "list", "atomic"].some((name) => typeof Object(kv)[name] !== "function")) {
    throw new InvalidRequestError("kvStore.kv", kv, "it must be what Deno.openKv() gives");
  }
  const runs = new KvRuns(kv, options);
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
    async claimRun(runId, head) {
      checkRunId(runId);
      await runs.claim(runId, head);
    },
    async breakLease(runId) {
      checkRunId(runId);
      await runs.breakLease(runId);
    },
    releaseRun: (runId) => runs.release(runId),
    parameters: () => ({}),
    listRuns: ({ unfinished = false, idle = false } = {}) => runs.list(unfinished, idle),
    readLines: (runId) => streamRun(kv, runId),
    readRuns: () => streamRuns(kv, () => runs.list(false, false)),
    async deleteRun(runId) {
      checkRunId(runId);
      return await runs.remove(runId);
    },
  };
}
