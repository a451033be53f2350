import type { RunStore } from "../../../ports/mod.ts";
import { expect, expectEqual, expectRejection } from "../_expect.ts";
import { type LogBuilder, logBuilder } from "../_log_builder.ts";
import {
  expectLog,
  startedRun,
  type StoreBench,
  storeCase,
  type StoreContractOptions,
} from "./bench.ts";
import type { ContractCase } from "../contract_case.ts";

/** Who has a run: claims, leases, and what the catalog makes of them. */
export function leaseCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  return [...claimCases(options), ...endCases(options), ...drivenCases(options)];
}

/** Makes a case with two stores over the same data; the first one drives a run of two entries. */
function pairCase<S extends RunStore>(
  options: StoreContractOptions<S>,
  openBeside: NonNullable<StoreContractOptions<S>["openBeside"]>,
  name: string,
  body: (pair: Pair<S>) => Promise<void>,
): ContractCase {
  return storeCase(options, name, async (bench: StoreBench<S>) => {
    const log = await startedRun(bench.store, "shared", 2);
    const second = bench.keep(await openBeside(bench.store));
    await body({ first: bench.store, second, log });
  });
}

interface Pair<S> {
  readonly first: S;
  readonly second: S;
  /** The log of the run "shared". */
  readonly log: LogBuilder;
}

/** Claims the run of a log where it ends, by a store that knows claims. */
async function claim(store: RunStore, log: LogBuilder): Promise<void> {
  await store.claimRun?.(log.runId, log.head);
}

/** What holds for a lock as well as for a lease; for a store without `claimRun` there is nothing to hold. */
function claimCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  const { openBeside } = options;
  const cases = [
    storeCase(options, "claimRun() of a run that the store holds does no harm", async (b) => {
      const log = await startedRun(b.store, "held", 2);
      await claim(b.store, log);
      await b.store.writeIntent("held", log.next());
      await b.store.releaseRun("held");
      await claim(b.store, log);
      await claim(b.store, log);
      await b.store.writeOutcome("held", log.next());
      await expectLog(b.store, log, "after it was claimed three times");
    }),
    storeCase(
      options,
      "claimRun() refuses a log that ends elsewhere or is not there",
      async (b) => {
        if (b.store.claimRun === undefined) return;
        const log = await startedRun(b.store, "ended", 2);
        const stale = log.head;
        await b.store.writeIntent("ended", log.next());
        await expectRejection(b.store.claimRun("ended", stale), ["run_conflict"], "of a held run");
        await b.store.releaseRun("ended");
        await expectRejection(b.store.claimRun("ended", stale), ["run_conflict"], "of a free run");
        const absent = logBuilder("absent");
        await expectRejection(
          b.store.claimRun("absent", absent.head),
          ["run_conflict"],
          "of no run",
        );
        expectEqual(await b.store.readRun("absent"), null, "a run that was only claimed");
        await expectRejection(b.store.claimRun("../x", stale), ["invalid_request"], "of no run id");
        await claim(b.store, log);
        await b.store.writeIntent("ended", log.next());
        await expectLog(b.store, log, "after the right claim");
      },
    ),
  ];
  if (openBeside === undefined) return cases;
  return [
    ...cases,
    pairCase(
      options,
      openBeside,
      "a claimed run is refused to another store until it is released",
      async ({ first, second, log }) => {
        if (second.claimRun === undefined) return;
        await first.releaseRun("shared");
        await claim(second, log);
        await expectRejection(claim(first, log), ["run_locked"], "the other store's claim");
        const late = first.writeIntent("shared", log.fork().next());
        await expectRejection(late, ["run_locked"], "the other store's write");
        await second.writeIntent("shared", log.next());
        await second.releaseRun("shared");
        await expectLog(first, log, "of the store that claimed it");
        await claim(first, log);
        await first.writeIntent("shared", log.next());
        await expectLog(second, log, "after it was handed back");
      },
    ),
  ];
}

/** What becomes of a lease. */
function endCases<S extends RunStore>(options: StoreContractOptions<S>): readonly ContractCase[] {
  const { openBeside, letLeasesEnd } = options;
  if (openBeside === undefined || letLeasesEnd === undefined) return [];
  const leaseCase = (name: string, body: (pair: Pair<S>) => Promise<void>) =>
    pairCase(options, openBeside, name, body);
  return [
    leaseCase("a leased run is refused, with the time until when", async (pair) => {
      const { first, second, log } = pair;
      const attempts = [
        () => second.writeIntent("shared", log.fork().next()),
        () => claim(second, log),
      ];
      for (const attempt of attempts) {
        await second.readRun("shared");
        const error = await expectRejection(attempt(), ["run_locked"], "the other store");
        const told = "until" in error && Number.isFinite(error.until);
        expect(told, "the error does not say until when");
      }
      await first.writeIntent("shared", log.next());
      await expectLog(second, log, "of the driver that has the lease");
    }),
    leaseCase("a run whose lease ran out is taken by a write", async (pair) => {
      const { first, second, log } = pair;
      const stale = log.fork().next();
      await letLeasesEnd(first);
      await second.readRun("shared");
      await second.writeIntent("shared", log.next());
      const late = first.writeIntent("shared", stale);
      await expectRejection(late, ["run_conflict"], "the old driver, with equal bytes");
      await first.readRun("shared");
      const again = first.writeIntent("shared", log.fork().next());
      await expectRejection(again, ["run_locked"], "the old driver after it read the run");
      await expectLog(first, log, "of the new driver");
    }),
    leaseCase("a run whose lease ran out is taken by a claim, which is enough", async (pair) => {
      const { first, second, log } = pair;
      await letLeasesEnd(first);
      await claim(second, log);
      const late = first.writeIntent("shared", log.fork().next());
      await expectRejection(late, ["run_conflict"], "the old driver before the new one wrote");
      await first.readRun("shared");
      await expectRejection(claim(first, log), ["run_locked"], "the old driver's claim");
      await second.writeIntent("shared", log.next());
      await expectLog(first, log, "of the new driver");
    }),
    leaseCase("a driver whose lease ran out goes on if nobody took the run", async (pair) => {
      const { first, second, log } = pair;
      await letLeasesEnd(first);
      await first.writeIntent("shared", log.next());
      await expectRejection(claim(second, log), ["run_locked"], "a claim after its write");
      await first.finishRun("shared", log.finish());
      await first.releaseRun("shared");
      await expectLog(second, log, "of the driver that went on");
    }),
    leaseCase("breakLease() takes a run from its driver", async (pair) => {
      const { first, second, log } = pair;
      await second.breakLease?.("shared");
      const late = first.writeIntent("shared", log.fork().next());
      await expectRejection(late, ["run_conflict"], "the old driver before the new one claims");
      await claim(second, log);
      await second.writeIntent("shared", log.next());
      await second.releaseRun("shared");
      await second.breakLease?.("shared");
      await second.breakLease?.("absent");
      await expectLog(first, log, "of the new driver");
      expectEqual(await first.readRun("absent"), null, "a run that was only freed");
    }),
  ];
}

/** What a catalog says of runs that are driven. */
function drivenCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  const { catalog, openBeside, letLeasesEnd } = options;
  if (catalog === undefined) return [];
  const cases = [
    storeCase(
      options,
      "listRuns() leaves out what is driven where idle runs are meant",
      async (b) => {
        await startedRun(b.store, "driven", 2);
        await startedRun(b.store, "free", 2);
        await b.store.releaseRun("free");
        const done = await startedRun(b.store, "done", 2);
        await b.store.finishRun("done", done.finish());
        await b.store.releaseRun("done");
        const runs = catalog(b.store);
        const unfinished = { unfinished: true, idle: true };
        expectEqual(await runs.listRuns({ idle: true }), ["done", "free"], "idle runs");
        expectEqual(await runs.listRuns(unfinished), ["free"], "unfinished idle runs");
        expectEqual(await runs.listRuns({ idle: false }), ["done", "driven", "free"], "all runs");
        await b.store.releaseRun("driven");
        expectEqual(await runs.listRuns(unfinished), ["driven", "free"], "after the release");
      },
    ),
  ];
  if (openBeside === undefined || letLeasesEnd === undefined) return cases;
  return [
    ...cases,
    pairCase(
      options,
      openBeside,
      "a leased run is not idle and not removed, until its lease runs out",
      async ({ first, second, log }) => {
        for (const store of [first, second]) {
          expectEqual(await catalog(store).listRuns({ idle: true }), [], "idle runs");
          const removal = catalog(store).deleteRun("shared");
          await expectRejection(removal, ["run_locked"], "the removal of a leased run");
        }
        await expectLog(second, log, "after two removals were refused");
        await letLeasesEnd(first);
        for (const store of [first, second]) {
          expectEqual(await catalog(store).listRuns({ idle: true }), ["shared"], "idle runs");
        }
        expectEqual(await catalog(second).deleteRun("shared"), true, "the removal");
        const late = first.writeIntent("shared", log.next());
        await expectRejection(late, ["run_conflict"], "the driver of a run that was removed");
        expectEqual(await first.readRun("shared"), null, "the run that was removed");
      },
    ),
  ];
}
