/**
 * A store that keeps many runs in one SQLite database, on one host; it runs on Deno, Node and Bun.
 *
 * @example
 * ```ts
 * import { sqliteStore } from "@polyloop/polyloop/stores/sqlite";
 * import { assertEquals } from "@std/assert";
 *
 * const dir = await Deno.makeTempDir();
 * const store = sqliteStore({ path: `${dir}/runs.db` });
 * assertEquals(await store.readRun("demo-1"), null);
 * assertEquals(await store.listRuns({ unfinished: true }), []);
 * await Deno.remove(dir, { recursive: true });
 * ```
 *
 * @module
 */
import type { RunStore } from "../ports/mod.ts";
import {
  type LeaseOptions,
  refuseUnknownFields,
  type RunCatalog,
  runtimeName,
} from "../types/mod.ts";
import { LEASE_FIELDS } from "./_lease/leases.ts";
import { placeOption } from "./_place_option.ts";
import type { ConnectSqlite } from "./_sqlite/database.ts";
import { openSqliteStore } from "./_sqlite/store.ts";

/** What {@link sqliteStore} needs to know: where the database is, and for how long a run is its driver's. */
export interface SqliteStoreOptions extends LeaseOptions {
  /**
   * The path of the database file; a URI is refused. It is made at the first start of a run if it is not there; its
   * folder must be. While it is open, `<path>-wal` and `<path>-shm` lie beside it, so that reading too needs a folder
   * that may be written to: copy the files out of one that may not. A network file system will not do: the journal
   * needs shared memory.
   */
  readonly path: string;
}

/**
 * Makes a store over the database at a path; the module docs show one.
 *
 * - **Barriers** are commits with `synchronous=FULL`, outcomes commits with `synchronous=NORMAL` on the same
 *   connection, in WAL mode. Runs that are driven at the same time share commits; a run that is alone never waits.
 * - **Handles**: the database is opened by the first call that needs it, and closed when the last run that was written
 *   through the store is released (a read opens and closes it if no run is). There is nothing to close by hand.
 * - **Two drivers** of a run are kept apart by the log itself: an entry has one successor, and a driver that another one
 *   has taken the run from finds its next write refused with a `RunConflictError`, however long it slept.
 * - **Leases** keep a run for a driver that lives: until its lease runs out, or the run is released, another store finds
 *   it taken, with a `RunLockedError` that says until when. A driver that was killed blocks its run for that long; one of
 *   the same `leaseOwner` does not wait.
 * - **Failures** are a `StoreFailedError` that names run and path: among them a full disk, a read-only folder, another
 *   process that has kept the write lock for 5,000 ms, a file that was deleted or replaced, another program's
 *   database, and a runtime that has no `node:sqlite` or one whose SQLite is older than 3.51.3 (Deno 2.9.1 has it).
 *
 * On Deno it needs `--allow-read` and `--allow-write` for the path. With `--allow-read` for `<path>-wal` it also notices that
 * this file was deleted.
 *
 * @throws {InvalidRequestError} If `path` is not a string, another option is not as it must be, or there is no such
 * option.
 */
export function sqliteStore(options: SqliteStoreOptions): RunStore & RunCatalog {
  const path = placeOption("sqliteStore", options, "path");
  const known = { path: true, ...LEASE_FIELDS };
  refuseUnknownFields<SqliteStoreOptions>(options, known, { prefix: "sqliteStore." });
  return openSqliteStore(path, loadSqlite, options);
}

async function loadSqlite(): Promise<ConnectSqlite> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    return (path) => new DatabaseSync(path);
  } catch (cause) {
    const detail = 'has no "node:sqlite": use Deno 2.9.1 or later, or another runtime that has it';
    throw new Error(`${runtimeName()} ${detail}`, { cause });
  }
}
