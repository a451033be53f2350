/** Which runs {@link RunCatalog.listRuns} gives: those that are as every field that is `true` says. */
export interface RunFilter {
  /**
   * It has started and not finished.
   * @default {false}
   */
  readonly unfinished?: boolean;
  /**
   * Nobody drives it: no process has its lock, no store its lease. By the time of a `resume` that may have changed.
   * @default {false}
   */
  readonly idle?: boolean;
}

/**
 * What a store's owner may ask of it beside the runs themselves: used by the command line and by schedulers, never by
 * a session.
 */
export interface RunCatalog {
  /**
   * The ids of the runs that the store holds, sorted by code point. It takes no lock and changes nothing.
   *
   * @param options Which ones. Default: all.
   * @throws {StoreFailedError} If the store cannot be read.
   */
  listRuns(options?: RunFilter): Promise<readonly string[]>;
  /**
   * The lines of a run's log in order, as `RunStore.readRun` gives them, some at a time: whatever the log's length, the
   * store holds a small part of it. None where there is no such run. It takes no lock and changes nothing; what is
   * written while it reads may or may not be among them.
   *
   * @throws {RunLogCorruptError} While it is read, if the store finds the log damaged: after the lines before.
   * @throws {StoreFailedError} While it is read, if the store cannot be read.
   */
  readLines(runId: string): AsyncIterable<readonly string[]>;
  /**
   * All runs that the store holds, sorted by code point, each with its lines: what the store has to open for one of
   * them stays open for the next. A run that is removed meanwhile, or was never started, has no lines.
   *
   * @throws {StoreFailedError} While it is read, if the store cannot be read.
   */
  readRuns(): AsyncIterable<StoredRun>;
  /**
   * Removes a run and everything kept beside it.
   *
   * @returns Whether there was such a run.
   * @throws {RunLockedError} If the run is driven, as far as the store has a lock or a lease that tells.
   * @throws {StoreFailedError} If the store cannot be changed.
   */
  deleteRun(runId: string): Promise<boolean>;
}

/** A run in a store. */
export interface StoredRun {
  /** Its id. */
  readonly runId: string;
  /** Its lines: {@link RunCatalog.readLines}, to be read before the next run is asked for. */
  readonly lines: AsyncIterable<readonly string[]>;
}
