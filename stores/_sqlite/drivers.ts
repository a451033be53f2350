import { RunConflictError } from "../../types/mod.ts";
import { type Lease, leased, type Leases } from "../_lease/leases.ts";
import { checkHead } from "../_log/tail.ts";
import type { SqliteLog, SqliteTail } from "./log.ts";

/** Where a run's log ends, and the driver that its row must name for the run to be taken or kept. */
export interface FoundRun {
  readonly tail: SqliteTail;
  readonly driver: string;
}

/** What a row says when nobody drives its run. */
export const NOBODY: Lease = { owner: "", until: 0 };

/** A run that this store drives. Absent: it does not. */
export function driven({ owner }: Leases, held: SqliteTail | undefined): FoundRun | undefined {
  return held && { tail: held, driver: owner };
}

/**
 * A run that may be taken, or `null` if there is none of that id.
 *
 * @throws {RunLockedError} If another driver has its lease.
 */
export function freeRun(log: SqliteLog, leases: Leases, runId: string): FoundRun | null {
  const run = log.run(runId);
  if (run !== null && leases.isForeign(run)) throw leased(runId, run);
  const tail = log.tail(runId);
  return run && tail && { tail, driver: run.owner };
}

/**
 * Takes a run, or keeps it, where its log ends with a hash; gives its tail, or `null` if there is no such run.
 *
 * @throws {RunLockedError} If another driver has its lease.
 * @throws {RunConflictError} If its log does not end there, or another driver took it from this store.
 */
export function claim(
  log: SqliteLog,
  leases: Leases,
  held: SqliteTail | undefined,
  runId: string,
  head: string,
): SqliteTail | null {
  const found = driven(leases, held) ?? freeRun(log, leases, runId);
  if (found === null) return null;
  const { tail, driver } = found;
  checkHead(runId, tail, head);
  if (log.lease(tail.run, driver, leases.renewed())) return tail;
  throw new RunConflictError(runId, tail.length, "another driver has taken it over, or removed it");
}

/** Removes a run; whether there was one. */
export function remove(
  log: SqliteLog,
  leases: Leases,
  held: SqliteTail | undefined,
  runId: string,
): boolean {
  const run = log.run(runId);
  if (run !== null && leases.isDriven(run, held !== undefined)) throw leased(runId, run);
  return log.deleteRun(runId);
}
