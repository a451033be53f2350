import type { RunStore } from "../../../ports/mod.ts";
import type { RunCatalog } from "../../../types/mod.ts";
import { expectEqual } from "../_expect.ts";
import { type LogBuilder, logBuilder } from "../_log_builder.ts";
import type { ContractCase } from "../contract_case.ts";

/** How the suite gets at the store under test. */
export interface StoreContractOptions<S extends RunStore> {
  /** Makes an empty store. Called once for each case; cases may run one after the other or at the same time. */
  readonly makeStore: () => S | Promise<S>;
  /** The store's catalog. Absent: it has none, and those cases are left out. */
  readonly catalog?: (store: S) => RunCatalog;
  /** Closes the store and opens what it kept again. Absent: it keeps nothing, and those cases are left out. */
  readonly reopen?: (store: S) => S | Promise<S>;
  /**
   * Opens what the store kept as after the death of its process: nothing was closed or released. Absent: it cannot be
   * done, and that case is left out.
   */
  readonly crash?: (store: S) => S | Promise<S>;
  /** A second store over the same data while the first is open, as in another process. Absent: as for `reopen`. */
  readonly openBeside?: (store: S) => S | Promise<S>;
  /**
   * Lets every lease that was given so far run out, as when its driver's process is stalled: nothing renews it meanwhile.
   * Called between a crash and what comes after it, too. Absent: the store has no leases.
   */
  readonly letLeasesEnd?: (store: S) => void | Promise<void>;
  /** Makes the next write fail. Absent: it cannot be done, and that case is left out. */
  readonly failNextWrite?: (store: S) => void | Promise<void>;
  /** Makes the next write take effect and its answer get lost. Absent: it cannot be done; that case is left out. */
  readonly loseNextAnswer?: (store: S) => void | Promise<void>;
  /** Closes a store of which the suite needs no more, and removes what it kept. Default: nothing is done. */
  readonly dispose?: (store: S) => void | Promise<void>;
}

/** What a case works with: stores that are disposed of after it, and a few moves that most cases make. */
export interface StoreBench<S extends RunStore> {
  /** An empty store. */
  readonly store: S;
  /** Has a store that came from one of the hooks disposed of, and gives it back. */
  keep(store: S): S;
}

/** Makes a case that gets its own bench. */
export function storeCase<S extends RunStore>(
  options: StoreContractOptions<S>,
  name: string,
  body: (bench: StoreBench<S>) => Promise<void>,
): ContractCase {
  return {
    name,
    async run() {
      const store = await options.makeStore();
      const stores = new Set([store]);
      try {
        await body({
          store,
          keep(other) {
            stores.add(other);
            return other;
          },
        });
      } finally {
        for (const one of stores) await options.dispose?.(one);
      }
    },
  };
}

/** A run that was started and has `length` entries, all accepted by the store. */
export async function startedRun(
  store: RunStore,
  runId: string,
  length = 1,
): Promise<LogBuilder> {
  const log = logBuilder(runId);
  await store.startRun(runId, log.start());
  while (log.lines.length < length) await store.writeIntent(runId, log.next());
  return log;
}

/** Fails unless the store reads exactly what was built. */
export async function expectLog(store: RunStore, log: LogBuilder, what: string): Promise<void> {
  expectEqual(await store.readRun(log.runId), log.lines, `the log of "${log.runId}" ${what}`);
}
