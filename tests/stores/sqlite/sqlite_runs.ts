import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { RunStore } from "../../../ports/mod.ts";
import { openSqliteStore } from "../../../stores/_sqlite/store.ts";
import {
  type Durability,
  type LeaseOptions,
  type RunCatalog,
  type StoreAction,
  StoreFailedError,
} from "../../../types/mod.ts";
import { type LogBuilder, logBuilder } from "../../contract/_log_builder.ts";
import { faultyConnect, type SqliteFaults } from "../drivers/sqlite_faults.ts";

/** As if there were no leases. */
export const NO_LEASES: LeaseOptions = { leaseMs: 0 };

/** A store whose statements a test sees. */
export interface Watched {
  readonly faults: SqliteFaults;
  readonly store: RunStore & RunCatalog;
}

/** Such a store, and the log of a run in it. */
export interface Started extends Watched {
  readonly log: LogBuilder;
}

/** Gives a path for a database in a folder of its own. */
export async function withPath(body: (path: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(`${dir}/runs.db`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** A store over the real SQLite whose statements a test sees. It has no leases where none are given. */
export function watched(
  path: string,
  faults: SqliteFaults = { open: 0 },
  leases: LeaseOptions = NO_LEASES,
): Watched {
  return { faults, store: openSqliteStore(path, faultyConnect(faults), leases) };
}

/** A store with faults and a run in it that has two entries. */
export async function startedAt(path: string, runId = "run"): Promise<Started> {
  const { faults, store } = watched(path);
  const log = logBuilder(runId);
  await store.startRun(runId, log.start());
  await store.writeIntent(runId, log.next());
  return { faults, store, log };
}

/** Expects a store error that says what was done with the run `run`, and names the path. */
export async function expectFailure(
  call: Promise<void>,
  durability: Durability,
  path: string,
  action: StoreAction = "write",
): Promise<StoreFailedError> {
  const error = await assertRejects(() => call, StoreFailedError);
  assertEquals([error.action, error.runId, error.durability], [action, "run", durability]);
  assertStringIncludes(error.message, path);
  return error;
}
