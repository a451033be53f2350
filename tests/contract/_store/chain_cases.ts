import type { RunStore } from "../../../ports/mod.ts";
import { frameLogLine, type LogEntry } from "../../../types/mod.ts";
import { expect, expectEqual, expectRejection } from "../_expect.ts";
import { logBuilder } from "../_log_builder.ts";
import { expectLog, startedRun, storeCase, type StoreContractOptions } from "./bench.ts";
import type { ContractCase } from "../contract_case.ts";

/** The methods that go on from entry 0. */
const APPENDS = ["writeIntent", "writeOutcome", "finishRun"] as const;

/** Order, and who may write what: an entry is accepted only as the next one. */
export function chainCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  return [
    storeCase(options, "readRun() gives null for a run that was never started", async (b) => {
      expectEqual(await b.store.readRun("never"), null, "readRun");
    }),
    storeCase(
      options,
      "readRun() gives the lines byte for byte in the order written",
      async (b) => {
        const log = logBuilder("ordered");
        await b.store.startRun("ordered", log.start());
        for (let i = 0; i < 50; i++) {
          const write = i % 2 === 0 ? b.store.writeIntent : b.store.writeOutcome;
          await write.call(b.store, "ordered", log.next());
        }
        await b.store.finishRun("ordered", log.finish());
        await expectLog(b.store, log, "before the release");
        await b.store.releaseRun("ordered");
        await expectLog(b.store, log, "after the release");
      },
    ),
    storeCase(options, "readRun() gives an array of the caller's own", async (b) => {
      const log = await startedRun(b.store, "own", 2);
      const lines = await b.store.readRun("own") as string[];
      if (!Object.isFrozen(lines)) lines.fill("changed");
      await expectLog(b.store, log, "after the array it gave was changed");
    }),
    storeCase(options, "startRun() refuses a run that exists, equal bytes too", async (b) => {
      const log = await startedRun(b.store, "twice");
      const equal = logBuilder("twice").start();
      const other = frameLogLine(0, equal.prev, '{"type":"run_started","other":true}');
      for (const entry of [equal, other]) {
        await expectRejection(b.store.startRun("twice", entry), ["run_exists"], "startRun");
      }
      await b.store.releaseRun("twice");
      await expectRejection(b.store.startRun("twice", equal), ["run_exists"], "after the release");
      await expectLog(b.store, log, "after the refused starts");
    }),
    storeCase(options, "startRun() called twice at once with one entry starts once", async (b) => {
      const log = logBuilder("both");
      const entry = log.start();
      const starts = await Promise.allSettled([1, 2].map(() => b.store.startRun("both", entry)));
      const refused = starts.filter((start) => start.status === "rejected");
      expect(refused.length === 1, `${refused.length} of two starts were refused, 1 must be`);
      await expectRejection(Promise.reject(refused[0]!.reason), ["run_exists"], "the other start");
      await b.store.writeIntent("both", log.next());
      await expectLog(b.store, log, "after the faster driver went on");
    }),
    storeCase(options, "startRun() takes only an entry 0 of that very run", async (b) => {
      const foreign = logBuilder("another").start();
      const late = frameLogLine(1, logBuilder("strict").start().prev, '{"type":"run_started"}');
      for (const entry of [foreign, late]) {
        await expectRejection(b.store.startRun("strict", entry), ["run_conflict"], "startRun");
        expectEqual(await b.store.readRun("strict"), null, "a run whose start was refused");
      }
      const log = await startedRun(b.store, "strict");
      await expectLog(b.store, log, "after the right start");
    }),
    ...APPENDS.flatMap((method) => appendCases(options, method)),
    storeCase(options, "an entry whose line is not its own is refused", async (b) => {
      const log = await startedRun(b.store, "framing");
      const good = log.fork().next('"a"');
      for (const [what, entry] of misframed(good)) {
        await expectRejection(
          b.store.writeIntent("framing", entry),
          ["run_conflict", "store_failed", "serialization", "invalid_request"],
          what,
        );
        await expectLog(b.store, log, `after ${what}`);
      }
      await b.store.writeIntent("framing", good);
      expectEqual(await b.store.readRun("framing"), [...log.lines, good.line], "the log");
    }),
  ];
}

function appendCases<S extends RunStore>(
  options: StoreContractOptions<S>,
  method: (typeof APPENDS)[number],
): readonly ContractCase[] {
  return [
    storeCase(options, `${method}() refuses a run that was never started`, async (b) => {
      const log = logBuilder("absent");
      const entries = [log.start(), log.next()];
      for (const entry of entries) {
        const write = b.store[method]("absent", entry);
        await expectRejection(write, ["run_conflict", "run_not_found", "store_failed"], method);
      }
      expectEqual(await b.store.readRun("absent"), null, "a run that was never started");
    }),
    storeCase(options, `${method}() refuses a taken seq, a gap, a wrong prev`, async (b) => {
      const log = await startedRun(b.store, "contested", 3);
      const [equal, taken] = [
        entryOf(log.lines, 2),
        frameLogLine(2, "sha256:" + "0".repeat(64), "1"),
      ];
      const gap = log.fork();
      gap.next();
      const stray = frameLogLine(3, entryOf(log.lines, 1).hash, '{"type":"step"}');
      const head = entryOf(log.lines, 2).hash;
      const refused: readonly [string, LogEntry][] = [
        ["an entry that is there, byte for byte", equal],
        ["another entry with a seq that is taken", taken],
        ["entry 0 once more", entryOf(log.lines, 0)],
        ["an entry that leaves one out", gap.next()],
        ["a seq that is taken, after the last entry", frameLogLine(2, head, '{"type":"step"}')],
        [
          "a seq that leaves one out, after the last entry",
          frameLogLine(4, head, '{"type":"step"}'),
        ],
        ["an entry that goes on from another entry", stray],
      ];
      for (const [what, entry] of refused) {
        await expectRejection(b.store[method]("contested", entry), ["run_conflict"], what);
        await expectLog(b.store, log, `after ${what} was refused`);
      }
    }),
    storeCase(
      options,
      `${method}() that is refused does not stop the rightful driver`,
      async (b) => {
        const log = await startedRun(b.store, "rightful", 2);
        const late = b.store[method]("rightful", entryOf(log.lines, 1));
        await expectRejection(late, ["run_conflict"], "the slower driver");
        await b.store.writeIntent("rightful", log.next());
        await expectLog(b.store, log, "after the rightful driver went on");
      },
    ),
    storeCase(options, `${method}() called twice at once with one entry acts once`, async (b) => {
      const log = await startedRun(b.store, "race", 2);
      const entry = log.next();
      const outcomes = await Promise.allSettled(
        [1, 2].map(() => b.store[method]("race", entry)),
      );
      const accepted = outcomes.filter((outcome) => outcome.status === "fulfilled").length;
      expect(accepted === 1, `${accepted} of two equal entries were accepted, 1 may be`);
      await expectLog(b.store, log, "after the race");
    }),
  ];
}

/** The entry at a place of a log that a builder made. */
function entryOf(lines: readonly string[], seq: number): LogEntry {
  const { prev } = JSON.parse(lines[seq]!);
  return { seq, prev, hash: JSON.parse(lines[seq]!).hash, line: lines[seq]! };
}

function misframed(good: LogEntry): readonly [string, LogEntry][] {
  const other = frameLogLine(good.seq, good.prev, '{"type":"step","observation":"b"}');
  const later = frameLogLine(good.seq + 1, good.prev, '{"type":"step","observation":"a"}');
  const broken = frameLogLine(good.seq, good.prev, '{"type":"step",\n"observation":"a"}');
  const lone = frameLogLine(good.seq, good.prev, '{"type":"step","observation":"\ud800"}');
  return [
    ["a line with another hash", { ...good, line: other.line }],
    ["a line with another seq", { ...later, seq: good.seq }],
    ["a line that is two lines", broken],
    ["a line with a lone surrogate, which UTF-8 cannot hold", lone],
    ["an empty line", { ...good, line: "" }],
  ];
}
