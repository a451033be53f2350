import { assertEquals, assertRejects } from "@std/assert";
import type { KvDatabase } from "../../../stores/_kv/database.ts";
import { kvStore } from "../../../stores/kv.ts";
import { RunConflictError } from "../../../types/mod.ts";
import { type LogBuilder, logBuilder } from "../../contract/_log_builder.ts";
import { faultyKv, type KvFaults } from "../drivers/kv_faults.ts";

const LARGE = JSON.stringify("x".repeat(200_000));

/** A database that does something once, before it gives an entry's key or a chunk's from a list for the nth time. */
function interrupted(kv: Deno.Kv, nth: number, interrupt: () => Promise<unknown>): KvDatabase {
  return {
    get: (key, options) => kv.get(key, options),
    atomic: () => kv.atomic(),
    async *list(selector, options) {
      for await (const entry of kv.list(selector, options)) {
        if (--nth === 0) await interrupt();
        yield entry;
      }
    },
  };
}

async function startedRun(kv: Deno.Kv, entries: number): Promise<LogBuilder> {
  const [store, log] = [kvStore({ leaseMs: 0, kv }), logBuilder("run")];
  await store.startRun("run", log.start());
  while (log.lines.length < entries) await store.writeOutcome("run", log.next());
  return log;
}

Deno.test("startRun() acknowledges no entry whose chunks a removal of the run has swept", async () => {
  using kv = await Deno.openKv(":memory:");
  const faults: KvFaults = { commits: [] };
  const store = kvStore({ leaseMs: 0, kv: faultyKv(kv, faults) });
  faults.onCommit = async (commit, { checks }) => {
    if (checks.length > 0) {
      delete faults.onCommit;
      await kvStore({ leaseMs: 0, kv }).deleteRun("run");
    }
    return await commit();
  };
  const first = logBuilder("run").next(LARGE);
  await assertRejects(() => store.startRun("run", first), RunConflictError, "removed");
  assertEquals(await store.readRun("run"), null);
  await store.startRun("run", first);
  assertEquals(await store.readRun("run"), [first.line]);
});

Deno.test("readRun() gives no part of a run that is removed meanwhile, nor calls it damaged", async () => {
  using kv = await Deno.openKv(":memory:");
  const remove = () => kvStore({ leaseMs: 0, kv }).deleteRun("run");
  await startedRun(kv, 700);
  assertEquals(await kvStore({ leaseMs: 0, kv: interrupted(kv, 50, remove) }).readRun("run"), null);

  const log = await startedRun(kv, 1);
  await kvStore({ leaseMs: 0, kv }).writeIntent("run", log.next(LARGE));
  assertEquals(await kvStore({ leaseMs: 0, kv: interrupted(kv, 2, remove) }).readRun("run"), null);
});

Deno.test("readRun() gives the new run where it was removed and started anew meanwhile", async () => {
  using kv = await Deno.openKv(":memory:");
  await startedRun(kv, 700);
  let anew: LogBuilder | undefined;
  const restart = async () => {
    await kvStore({ leaseMs: 0, kv }).deleteRun("run");
    anew = await startedRun(kv, 3);
  };
  assertEquals(
    await kvStore({ leaseMs: 0, kv: interrupted(kv, 50, restart) }).readRun("run"),
    anew?.lines,
  );
  assertEquals(anew?.lines.length, 3);
});

Deno.test("kvStore() tells the driver of a run that is removed at its first write of a conflict", async () => {
  using kv = await Deno.openKv(":memory:");
  const log = await startedRun(kv, 1);
  await kvStore({ leaseMs: 0, kv }).writeIntent("run", log.next(LARGE));
  const remove = () => kvStore({ leaseMs: 0, kv }).deleteRun("run");
  const store = kvStore({ leaseMs: 0, kv: interrupted(kv, 1, remove) });
  await assertRejects(() => store.writeIntent("run", log.next()), RunConflictError);
});
