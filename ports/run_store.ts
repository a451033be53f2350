import type { LogEntry } from "../types/mod.ts";

/**
 * Keeps the logs of runs. A store checks the framing of a line and its place in the chain, and knows nothing of what
 * the records mean.
 *
 * Contract:
 *
 * - Every method names its run; no method has an implicit current run. Runs are driven concurrently; the methods of
 *   one run are called one after the other.
 * - An entry is accepted only as the next one: its `seq` is the number of entries so far, its `prev` the hash of the
 *   last (for entry 0 the digest of the run id). An entry whose `seq` is taken is a {@link RunConflictError}, even if
 *   its bytes are equal: two drivers can write equal bytes, and only one may act.
 * - An entry is visible whole or not at all.
 * - `startRun`, `writeIntent`, `finishRun` and `releaseRun` are durability barriers: when they resolve, that entry and
 *   every one before it have reached the disk. `writeOutcome` is not one: what it acknowledged survives the death of
 *   the process at once, and a power loss once the next barrier returned.
 * - The first write after a read takes the run's lock or lease, where the store has one ({@link RunLockedError}), and
 *   finds the tail that was read, or fails; {@link RunStore.claimRun} does the same without a write. After a failed write
 *   the store refuses that run until it is read again; a failed sync is never tried again.
 * - A lease that has run out may be taken by another driver. The one that had it finds its next write refused with a
 *   {@link RunConflictError}, also where the other has not written yet.
 * - Failures are a {@link StoreFailedError} that says what the store was doing, of which run, and why it could not.
 *   Nothing that was acknowledged before is lost by one.
 * - No method takes a signal: writes are always awaited.
 */
export interface RunStore {
  /**
   * The lines of a run's log in order, or `null` if there is none. It takes no lock and never blocks a writer; a torn
   * tail is left out.
   *
   * @throws {RunLogCorruptError} If the store finds the log damaged. It is untouched.
   * @throws {StoreFailedError} If the store cannot be read.
   */
  readRun(runId: string): Promise<readonly string[] | null>;
  /**
   * Writes entry 0. A barrier.
   *
   * @throws {RunExistsError} If the run exists.
   * @throws {StoreFailedError} If it cannot be written.
   */
  startRun(runId: string, entry: LogEntry): Promise<void>;
  /**
   * Writes an entry that ends with an intent. A barrier.
   *
   * @throws {RunConflictError} If it is not the next entry of the log: another driver wrote.
   * @throws {RunLockedError} If another driver has the run's lock, or its lease.
   * @throws {StoreFailedError} If it cannot be written.
   */
  writeIntent(runId: string, entry: LogEntry): Promise<void>;
  /**
   * Writes an entry that records what happened. No barrier.
   *
   * @throws {RunConflictError} If it is not the next entry of the log: another driver wrote.
   * @throws {RunLockedError} If another driver has the run's lock, or its lease.
   * @throws {StoreFailedError} If it cannot be written.
   */
  writeOutcome(runId: string, entry: LogEntry): Promise<void>;
  /**
   * Writes the last entry of a run. A barrier.
   *
   * @throws {RunConflictError} If it is not the next entry of the log: another driver wrote.
   * @throws {RunLockedError} If another driver has the run's lock, or its lease.
   * @throws {StoreFailedError} If it cannot be written.
   */
  finishRun(runId: string, entry: LogEntry): Promise<void>;
  /**
   * Takes the lock or the lease of a run that is there, as its first write would: `resume` calls it before it calls any
   * port or callback for an unfinished run, so that nothing is asked or done for a run that another one drives. Absent:
   * the store has neither. Calling it for a run that this store holds already does no harm.
   *
   * @param head The hash of the last entry that was read.
   * @throws {RunLockedError} If another driver has the run's lock, or its lease.
   * @throws {RunConflictError} If the log does not end there any more, or is gone. Nothing was taken.
   * @throws {StoreFailedError} If the store cannot be used.
   */
  claimRun?(runId: string, head: string): Promise<void>;
  /**
   * Ends the lease of a run, whoever has it: a driver that had it finds its next write refused. `resume` calls it, before
   * it claims the run, where `takeOver` asks for it; nothing else does. Absent: the store has no leases, or none that
   * can be taken from a process that lives. Does nothing for a run that has no lease or is not there.
   *
   * @throws {StoreFailedError} If the store cannot be changed.
   */
  breakLease?(runId: string): Promise<void>;
  /**
   * Lets go of the run's lock or lease and its handle, whatever state it is in. A barrier, unless a write of the run
   * failed before. Called once at the end of a `run` or `resume` of which a claim or a write was accepted; calling it for
   * a run that is not held does nothing.
   *
   * @throws {StoreFailedError} If what was written may not have reached the disk.
   */
  releaseRun(runId: string): Promise<void>;
  /**
   * What of the configuration bears on the run; not where it lives. It enters the parameter snapshot. Called once for
   * each `run` or `resume`; must not throw.
   */
  parameters(): Readonly<Record<string, string>>;
}
