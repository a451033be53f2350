import type { RunStore } from "../../../ports/mod.ts";
import { expect, expectEqual, expectRejection } from "../_expect.ts";
import { logBuilder } from "../_log_builder.ts";
import { expectLog, startedRun, storeCase, type StoreContractOptions } from "./bench.ts";
import type { ContractCase } from "../contract_case.ts";

/** What a store's owner may ask of it. */
export function catalogCases<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  const { catalog } = options;
  if (catalog === undefined) return [];
  return [
    storeCase(options, "listRuns() of an empty store gives no runs", async (b) => {
      expectEqual(await catalog(b.store).listRuns(), [], "listRuns");
      expectEqual(await catalog(b.store).listRuns({ unfinished: true }), [], "unfinished runs");
    }),
    storeCase(options, "listRuns() gives all or the unfinished runs by code point", async (b) => {
      const ids = ["b", "a.b", "a", "z", "a_b", "a-b", "0", "10", "9", "con"];
      for (const [i, runId] of ids.entries()) {
        const log = await startedRun(b.store, runId, 1 + i % 3);
        if (i % 2 === 0) await b.store.finishRun(runId, log.finish());
        if (i % 3 !== 0) await b.store.releaseRun(runId);
      }
      const open = ids.filter((_, i) => i % 2 !== 0);
      expectEqual(await catalog(b.store).listRuns(), ids.toSorted(), "all runs");
      expectEqual(await catalog(b.store).listRuns({ unfinished: false }), ids.toSorted(), "all");
      expectEqual(
        await catalog(b.store).listRuns({ unfinished: true }),
        open.toSorted(),
        "unfinished runs",
      );
    }),
    storeCase(
      options,
      "listRuns() knows a large last entry, and text that looks like an end",
      async (b) => {
        const large = await startedRun(b.store, "large");
        await b.store.writeOutcome("large", large.next(JSON.stringify("x".repeat(300_000))));
        const liar = await startedRun(b.store, "liar");
        await b.store.writeOutcome("liar", liar.next('{"type":"run_finished"}'));
        const done = await startedRun(b.store, "done");
        await b.store.writeOutcome("done", done.next(JSON.stringify("x".repeat(300_000))));
        await b.store.finishRun("done", done.finish());
        const told = await startedRun(b.store, "told");
        await b.store.finishRun("told", told.finish(JSON.stringify("x".repeat(300_000))));
        const open = await catalog(b.store).listRuns({ unfinished: true });
        expectEqual(open, ["large", "liar"], "unfinished runs");
      },
    ),
    storeCase(
      options,
      "readLines() gives a run's lines in order, and none of no run",
      async (b) => {
        const log = await startedRun(b.store, "read", 40);
        await b.store.writeOutcome("read", log.next(JSON.stringify("🌊".repeat(300_000))));
        await startedRun(b.store, "read.b", 2);
        const lines = async (runId: string) =>
          (await Array.fromAsync(catalog(b.store).readLines(runId))).flat();
        expectEqual(await lines("read"), log.lines, "the lines of a run that is driven");
        await b.store.releaseRun("read");
        expectEqual(await lines("read"), log.lines, "the lines of a run");
        expectEqual(await lines("never"), [], "the lines of no run");
        await expectRejection(lines("../never"), ["invalid_request"], "readLines of no run id");
        for await (const [line] of catalog(b.store).readLines("read")) {
          expectEqual(line, log.lines[0], "the first line of a read that is given up");
          break;
        }
        await b.store.writeIntent("read", log.next());
        await expectLog(b.store, log, "after its lines were read");
      },
    ),
    storeCase(options, "readRuns() gives each run by code point with its lines", async (b) => {
      expectEqual(await Array.fromAsync(catalog(b.store).readRuns()), [], "the runs of none");
      const logs = new Map<string, readonly string[]>();
      for (const [i, runId] of ["b", "a.b", "a", "10", "9"].entries()) {
        logs.set(runId, (await startedRun(b.store, runId, 1 + i)).lines);
        if (i % 2 === 0) await b.store.releaseRun(runId);
      }
      const found: string[] = [];
      for await (const { runId, lines } of catalog(b.store).readRuns()) {
        found.push(runId);
        if (runId === "9") continue;
        expectEqual(
          (await Array.fromAsync(lines)).flat(),
          logs.get(runId),
          `the lines of ${runId}`,
        );
      }
      expectEqual(found, [...logs.keys()].sort(), "the runs");
    }),
    storeCase(options, "readRuns() gives long logs among short ones whole", async (b) => {
      const logs = new Map<string, readonly string[]>();
      const texts = { a: 3, b: 30_000, c: 3, d: 70_000, e: 1_200_000, f: 3 };
      for (const [runId, size] of Object.entries(texts)) {
        const log = await startedRun(b.store, runId, 2);
        await b.store.writeOutcome(runId, log.next(JSON.stringify("x".repeat(size))));
        logs.set(runId, log.lines);
      }
      logs.set("c2", (await startedRun(b.store, "c2", 60)).lines);
      for (const runId of ["c", "f"]) {
        await b.store.releaseRun(runId);
        await catalog(b.store).deleteRun(runId);
        logs.set(runId, (await startedRun(b.store, runId, 1)).lines);
      }
      for await (const { runId, lines } of catalog(b.store).readRuns()) {
        expectEqual((await Array.fromAsync(lines)).flat(), logs.get(runId), `lines of ${runId}`);
        logs.delete(runId);
      }
      expectEqual([...logs.keys()], [], "the runs that were not given");
    }),
    storeCase(options, "deleteRun() removes a run and only that", async (b) => {
      const other = await startedRun(b.store, "gone.b", 2);
      const log = await startedRun(b.store, "gone", 2);
      await b.store.writeOutcome("gone", log.next(JSON.stringify("x".repeat(200_000))));
      await b.store.releaseRun("gone");
      expectEqual(await catalog(b.store).deleteRun("gone"), true, "deleteRun");
      expectEqual(await b.store.readRun("gone"), null, "a run that was deleted");
      expectEqual(await catalog(b.store).listRuns(), ["gone.b"], "the runs left");
      await expectLog(b.store, other, "after another run was deleted");
      expectEqual(await catalog(b.store).deleteRun("gone"), false, "deleteRun the second time");
      const anew = await startedRun(b.store, "gone", 3);
      await expectLog(b.store, anew, "after it was started anew");
    }),
    storeCase(options, "deleteRun() of a run that was never there gives false", async (b) => {
      expectEqual(await catalog(b.store).deleteRun("never"), false, "deleteRun");
      const promise = catalog(b.store).deleteRun("../never");
      await expectRejection(promise, ["invalid_request"], "deleteRun of what is not a run id");
    }),
    storeCase(
      options,
      "deleteRun() of a run that is driven refuses, or stops its driver",
      async (b) => {
        const log = await startedRun(b.store, "driven", 2);
        const deleted = await catalog(b.store).deleteRun("driven").catch((error) => {
          expectEqual(error?.code, "run_locked", "the refusal of deleteRun");
          return false;
        });
        if (!deleted) {
          await b.store.writeIntent("driven", log.next());
          return await expectLog(b.store, log, "after its deletion was refused");
        }
        const write = b.store.writeIntent("driven", log.next());
        await expectRejection(write, ["run_conflict", "store_failed"], "a write to a deleted run");
        expectEqual(await b.store.readRun("driven"), null, "a deleted run after a write");
        await startedRun(b.store, "driven");
        const entry = log.next();
        const stale = b.store.writeIntent("driven", entry);
        await expectRejection(
          stale,
          ["run_conflict"],
          "a write of the driver of a run started anew",
        );
        expect(logBuilder("driven").start().line !== entry.line, "the entries are not told apart");
      },
    ),
  ];
}
