/**
 * What a store's owner may ask of it beside the runs themselves: used by the command line and by schedulers, never by
 * a session.
 */
export interface RunCatalog {
  /**
   * The ids of the runs that the store holds, sorted by code point. It takes no lock and changes nothing.
   *
   * @param options With `unfinished: true`, only runs that have started and not finished. Default: all.
   * @throws {StoreFailedError} If the store cannot be read.
   */
  listRuns(options?: { readonly unfinished?: boolean }): Promise<readonly string[]>;
  /**
   * Removes a run and everything kept beside it.
   *
   * @returns Whether there was such a run.
   * @throws {RunLockedError} If another process drives the run.
   * @throws {StoreFailedError} If the store cannot be changed.
   */
  deleteRun(runId: string): Promise<boolean>;
}
