import { assert, assertEquals, assertRejects } from "@std/assert";
import type { KvDatabase } from "../../../stores/_kv/database.ts";
import { leaseKey } from "../../../stores/_kv/keys.ts";
import { kvStore } from "../../../stores/kv.ts";
import {
  RunConflictError,
  RunExistsError,
  RunLockedError,
  StoreFailedError,
} from "../../../types/mod.ts";
import { logBuilder } from "../../contract/_log_builder.ts";
import { keys, LARGE, withRun } from "./kv_run.ts";

Deno.test("kvStore() reads with strong consistency everywhere", async () => {
  using kv = await Deno.openKv(":memory:");
  const asked: unknown[] = [];
  const watching: KvDatabase = {
    get(key, options) {
      asked.push(options.consistency);
      return kv.get(key, options);
    },
    list(selector, options) {
      asked.push(options.consistency);
      return kv.list(selector, options);
    },
    atomic: () => kv.atomic(),
  };
  const log = logBuilder("run");
  await kvStore({ leaseMs: 0, kv: watching }).startRun("run", log.start());
  await kvStore({ leaseMs: 0, kv: watching }).writeIntent("run", log.next(LARGE));
  const store = kvStore({ leaseMs: 0, kv: watching });
  await store.readRun("run");
  await store.listRuns();
  await store.deleteRun("run");
  assert(asked.length >= 9, "the reads were not seen");
  assertEquals(new Set(asked), new Set(["strong"]));
});

Deno.test("kvStore() reports what cannot be read, naming the run", async () => {
  await withRun(async ({ faults, store }) => {
    faults.onRead = () => {
      throw new TypeError("no route to host");
    };
    const error = await assertRejects(() => store.readRun("run"), StoreFailedError);
    assertEquals(error.runId, "run");
    await assertRejects(() => store.listRuns(), StoreFailedError, "no route to host");
    await assertRejects(() => store.deleteRun("run"), StoreFailedError, "no route to host");
  });
});

Deno.test("kvStore() reports a database that was closed", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = kvStore({ leaseMs: 0, kv });
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  kv.close();
  await assertRejects(() => store.writeIntent("run", log.next()), StoreFailedError);
  await assertRejects(() => store.readRun("run"), StoreFailedError);
});

Deno.test("kvStore() lets one of two starts at once through", async () => {
  using kv = await Deno.openKv(":memory:");
  const stores = [kvStore({ leaseMs: 0, kv }), kvStore({ leaseMs: 0, kv })];
  const entry = logBuilder("run").start();
  const results = await Promise.allSettled(stores.map((store) => store.startRun("run", entry)));
  const refused = results.filter((it) => it.status === "rejected");
  assertEquals(refused.length, 1);
  assert(refused[0]!.reason instanceof RunExistsError);
});

Deno.test("kvStore() refuses the driver of a run that was removed and rebuilt with equal bytes", async () => {
  using kv = await Deno.openKv(":memory:");
  const [first, other] = [kvStore({ leaseMs: 0, kv }), kvStore({ leaseMs: 0, kv })];
  const log = logBuilder("run");
  const [start, second, third] = [log.start(), log.next(), log.next()];
  await first.startRun("run", start);
  await first.writeIntent("run", second);
  await other.deleteRun("run");
  await other.startRun("run", start);
  await other.writeIntent("run", second);
  await assertRejects(() => first.writeIntent("run", third), RunConflictError);
  await other.writeIntent("run", third);
});

Deno.test("kvStore() does not let two drivers in one process interleave when they write at once", async () => {
  await withRun(async ({ store, log }) => {
    const [fast, slow] = [log.next(), log.fork()];
    const results = await Promise.allSettled([
      store.writeIntent("run", fast),
      store.writeIntent("run", fast),
    ]);
    assertEquals(results.map((it) => it.status).sort(), ["fulfilled", "rejected"]);
    await store.writeIntent("run", log.next());
    await assertRejects(() => store.writeIntent("run", slow.next()), RunConflictError);
    await store.writeIntent("run", log.next());
  });
});

Deno.test("kvStore() marks a run unfinished until the commit that finishes it", async () => {
  await withRun(async ({ kv, faults, store, log }) => {
    const unfinished = async () => (await keys(kv)).filter((key) => key.includes("unfinished"));
    assertEquals((await unfinished()).length, 1);
    await store.finishRun("run", log.finish());
    assertEquals(faults.commits.length, 1);
    assertEquals(await unfinished(), []);
    assertEquals(await store.listRuns({ unfinished: true }), []);
    assertEquals(await store.listRuns(), ["run"]);
  });
});

Deno.test("kvStore() removes a long run in commits within KV's limits, and no run started since", async () => {
  await withRun(async ({ kv, faults, store, log }) => {
    for (let i = 0; i < 1200; i++) await store.writeOutcome("run", log.next());
    faults.commits.length = 0;
    let anew: Promise<void> | undefined;
    const again = logBuilder("run");
    faults.onCommit = async (commit, { deletes }) => {
      // Between the first and the second commit of the sweep another process starts the run anew.
      if (deletes.length > 2 && faults.commits.length === 3) {
        anew = kvStore({ leaseMs: 0, kv }).startRun("run", again.start());
        await anew;
      }
      return await commit();
    };
    assertEquals(await store.deleteRun("run"), true);
    assert(anew !== undefined, "the sweep had one commit only");
    assertEquals(faults.commits.length, 3);
    assert(faults.commits.every((it) => it.deletes.length <= 500), "too many mutations");
    assertEquals(await store.readRun("run"), again.lines);
    delete faults.onCommit;
    await store.deleteRun("run");
    assertEquals(await keys(kv), []);
  });
});

Deno.test("kvStore() goes on with a run that it holds, another store went on with, and it read", async () => {
  await withRun(async ({ kv, store, log }) => {
    const other = kvStore({ leaseMs: 0, kv });
    await other.writeIntent("run", log.next());
    assertEquals(await store.readRun("run"), log.lines);
    await store.writeIntent("run", log.next());
    await assertRejects(() => other.writeIntent("run", log.fork().next()), RunConflictError);
  });
});

Deno.test("kvStore() says that a run is locked also where its lease ends at no date", async () => {
  using kv = await Deno.openKv(":memory:");
  const log = logBuilder("run");
  await kvStore({ kv, leaseMs: 0 }).startRun("run", log.start());
  const next = log.next();
  for (const until of [1e300, Infinity]) {
    await kv.set(leaseKey("run"), { owner: "another", until, token: "t" });
    const error = await assertRejects(
      () => kvStore({ kv }).writeIntent("run", next),
      RunLockedError,
    );
    assertEquals(error.until, 8.64e15);
  }
});
