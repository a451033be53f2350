import type { RunStore } from "../../../ports/mod.ts";
import { expect, expectEqual, expectRejection } from "../_expect.ts";
import { logBuilder } from "../_log_builder.ts";
import { expectLog, startedRun, storeCase, type StoreContractOptions } from "./bench.ts";
import type { ContractCase } from "../contract_case.ts";

/** Letting go, coming back, and more drivers than one. */
export function driverCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  return [
    storeCase(options, "releaseRun() of a run that is not held does nothing", async (b) => {
      await b.store.releaseRun("nobody");
      expectEqual(await b.store.readRun("nobody"), null, "a run that was only released");
      const log = await startedRun(b.store, "held");
      await b.store.releaseRun("held");
      await b.store.releaseRun("held");
      await expectLog(b.store, log, "after two releases");
    }),
    storeCase(options, "a released run is read and driven on", async (b) => {
      const log = await startedRun(b.store, "again", 2);
      await b.store.releaseRun("again");
      await expectLog(b.store, log, "after the release");
      await b.store.writeIntent("again", log.next());
      await b.store.finishRun("again", log.finish());
      await b.store.releaseRun("again");
      await expectLog(b.store, log, "after it was driven on");
    }),
    storeCase(options, "two drivers of one run never interleave, the faster goes on", async (b) => {
      const slow = await startedRun(b.store, "pair", 2);
      const fast = slow.fork();
      await b.store.readRun("pair");
      await b.store.writeIntent("pair", fast.next('"fast"'));
      const late = b.store.writeIntent("pair", slow.next('"slow"'));
      await expectRejection(late, ["run_conflict"], "the slower driver");
      await b.store.writeOutcome("pair", fast.next());
      const later = b.store.writeOutcome("pair", slow.next());
      await expectRejection(later, ["run_conflict"], "the slower driver's next write");
      await b.store.finishRun("pair", fast.finish());
      await expectLog(b.store, fast, "of the faster driver");
    }),
    storeCase(options, "parameters() gives the same strings each time", (b) => {
      const parameters = b.store.parameters();
      const texts = Object.values(parameters).every((value) => typeof value === "string");
      expect(texts, "parameters() gave a value that is not a string");
      expectEqual(b.store.parameters(), parameters, "parameters() the second time");
      return Promise.resolve();
    }),
    ...reopenCases(options),
    ...besideCases(options),
    ...faultCases(options),
  ];
}

function reopenCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  const { reopen, crash } = options;
  const cases: ContractCase[] = [];
  if (reopen !== undefined) {
    cases.push(
      storeCase(options, "a store that is opened again goes on where it ended", async (b) => {
        const log = await startedRun(b.store, "kept", 3);
        await b.store.writeOutcome("kept", log.next(JSON.stringify("z".repeat(200_000))));
        await b.store.releaseRun("kept");
        const store = b.keep(await reopen(b.store));
        await expectLog(store, log, "after the store was opened again");
        await expectRejection(
          store.startRun("kept", logBuilder("kept").start()),
          ["run_exists"],
          "startRun of a run that was kept",
        );
        const fork = log.fork();
        await store.writeIntent("kept", log.next());
        const late = store.writeIntent("kept", fork.next());
        await expectRejection(late, ["run_conflict"], "an equal entry after opening again");
        await store.finishRun("kept", log.finish());
        await store.releaseRun("kept");
        await expectLog(b.keep(await reopen(store)), log, "after it was opened once more");
      }),
    );
  }
  if (crash !== undefined) {
    cases.push(
      storeCase(
        options,
        "what was acknowledged survives the process, a lock does not",
        async (b) => {
          const log = await startedRun(b.store, "crashed", 2);
          await b.store.writeOutcome("crashed", log.next('"an outcome"'));
          const store = b.keep(await crash(b.store));
          await options.letLeasesEnd?.(b.store);
          await expectLog(store, log, "after the crash");
          await store.writeIntent("crashed", log.next());
          await store.releaseRun("crashed");
          await expectLog(store, log, "after it was driven on");
        },
      ),
    );
  }
  return cases;
}

function besideCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  const { openBeside } = options;
  if (openBeside === undefined) return [];
  return [
    storeCase(
      options,
      "a second store reads a run that is driven, and never interleaves",
      async (b) => {
        const first = await startedRun(b.store, "shared", 2);
        const other = b.keep(await openBeside(b.store));
        await expectLog(other, first, "read by another store");
        const second = first.fork();
        const taken = await other.writeIntent("shared", second.next()).then(
          () => true,
          () => false,
        );
        const own = b.store.writeIntent("shared", first.next());
        if (!taken) await own;
        else await expectRejection(own, ["run_conflict", "store_failed"], "the slower store");
        await expectLog(b.store, taken ? second : first, "after both tried");
        await expectLog(other, taken ? second : first, "after both tried, read by the other");
      },
    ),
    storeCase(
      options,
      "a run is handed over by release, and its old driver is refused",
      async (b) => {
        const log = await startedRun(b.store, "handed", 2);
        await b.store.releaseRun("handed");
        const stale = log.fork().next();
        const other = b.keep(await openBeside(b.store));
        await other.readRun("handed");
        await other.writeIntent("handed", log.next());
        await expectRejection(
          b.store.writeIntent("handed", stale),
          ["run_conflict", "run_locked"],
          "the old driver, with equal bytes",
        );
        await other.releaseRun("handed");
        await expectRejection(
          b.store.writeIntent("handed", stale),
          ["run_conflict", "store_failed"],
          "the old driver after the second release",
        );
        await expectLog(b.store, log, "of the new driver");
      },
    ),
  ];
}

function faultCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  const { failNextWrite, loseNextAnswer } = options;
  const cases: ContractCase[] = [];
  if (failNextWrite !== undefined) {
    cases.push(
      storeCase(options, "after a failed write a run is refused until it is read", async (b) => {
        const log = await startedRun(b.store, "failing", 2);
        const attempt = log.fork();
        await failNextWrite(b.store);
        const entry = attempt.next();
        const failure = await expectRejection(
          b.store.writeIntent("failing", entry),
          ["store_failed"],
          "the write that failed",
        );
        expectEqual("runId" in failure && failure.runId, "failing", "the run that the error names");
        expectEqual("action" in failure && failure.action, "write", "what the error says failed");
        await expectRejection(
          b.store.writeIntent("failing", entry),
          ["store_failed"],
          "the same write before the run was read",
        );
        const lines = await b.store.readRun("failing");
        const written = lines?.length === log.lines.length + 1;
        expectKeptWord(failure, written);
        const known = written ? attempt : log;
        expectEqual(lines, known.lines, "what is read after the failure");
        await b.store.writeIntent("failing", known.next());
        await b.store.releaseRun("failing");
        await expectLog(b.store, known, "after it was driven on");
      }),
    );
  }
  if (failNextWrite !== undefined) {
    cases.push(storeCase(options, "a start that failed is made good after a read", async (b) => {
      const log = logBuilder("restarted");
      const entry = log.start();
      await failNextWrite(b.store);
      const start = b.store.startRun("restarted", entry);
      const failure = await expectRejection(start, ["store_failed"], "the start that failed");
      const written = await b.store.readRun("restarted") !== null;
      expectKeptWord(failure, written);
      if (!written) await b.store.startRun("restarted", entry);
      await b.store.writeIntent("restarted", log.next());
      await expectLog(b.store, log, "after it was started again");
    }));
  }
  if (loseNextAnswer !== undefined) {
    cases.push(
      storeCase(options, "a commit whose answer got lost is found out, not repeated", async (b) => {
        const log = await startedRun(b.store, "unsure", 2);
        await loseNextAnswer(b.store);
        const entry = log.next();
        const resolved = await b.store.writeIntent("unsure", entry).then(() => true, () => false);
        await expectLog(b.store, log, "after the answer got lost");
        await expectRejection(
          b.store.writeIntent("unsure", entry),
          ["run_conflict"],
          `the same entry once more, after the first ${resolved ? "resolved" : "was refused"}`,
        );
        await b.store.writeOutcome("unsure", log.next());
        await expectLog(b.store, log, "after it was driven on");
      }),
    );
  }
  return cases;
}

/** Fails where an entry is in the log of whose write the store said that nothing of it was kept. */
function expectKeptWord(failure: Error, written: boolean): void {
  const none = "durability" in failure && failure.durability === "none";
  expect(
    !(none && written),
    'an entry whose write failed with the durability "none" is in the log',
  );
}
