import { assertEquals, assertRejects } from "@std/assert";
import { kvStore } from "../../stores/kv.ts";
import { RunConflictError, RunLockedError, StoreFailedError } from "../../types/mod.ts";
import { logBuilder } from "../contract/_log_builder.ts";
import { leaseClock } from "./drivers/lease_clock.ts";
import { leaseTest } from "./drivers/lease_bench.ts";
import { inTempFolder } from "./drivers/temp_folder.ts";

leaseTest("renews a lease every third of it, and has no timer before and after", async (bench) => {
  const { clock } = bench;
  const [store, other] = [bench.open({ leaseMs: 900 }), bench.open({ leaseMs: 900 })];
  const log = logBuilder("run");
  assertEquals(clock.timers(), 0);
  await store.startRun("run", log.start());
  assertEquals(clock.timers(), 1);
  for (let third = 0; third < 10; third++) {
    clock.pass(300);
    await bench.settled();
    const { until } = await assertRejects(() => other.claimRun!("run", log.head), RunLockedError);
    assertEquals(until, clock.now() + 900, "after a third");
  }
  await store.releaseRun("run");
  assertEquals(clock.timers(), 0);
  await other.claimRun!("run", log.head);
  await other.releaseRun("run");
  assertEquals(clock.timers(), 0);
});

leaseTest("renews a lease at every write", async (bench) => {
  const { clock } = bench;
  const [store, other] = [bench.open(), bench.open()];
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  const writes = [
    () => store.writeIntent("run", log.next()),
    () => store.writeOutcome("run", log.next()),
  ];
  for (const write of writes) {
    clock.stall(20_000);
    await write();
    const { until } = await assertRejects(() => other.claimRun!("run", log.head), RunLockedError);
    assertEquals(until, clock.now() + 30_000);
  }
  clock.stall(20_000);
  await store.finishRun("run", log.finish());
  assertEquals(await other.deleteRun("run"), true, "a finished run is nobody's");
  assertEquals(clock.timers(), 0);
  await store.releaseRun("run");
});

leaseTest("has one timer for all its runs", async (bench) => {
  const { clock } = bench;
  const [store, other] = [bench.open(), bench.open()];
  const logs = ["a", "b", "c"].map(logBuilder);
  for (const log of logs) await store.startRun(log.runId, log.start());
  assertEquals(clock.timers(), 1);
  clock.pass(60_000);
  await bench.settled();
  assertEquals(await other.listRuns({ idle: true }), []);
  for (const log of logs) {
    assertEquals(clock.timers(), 1);
    await store.releaseRun(log.runId);
  }
  assertEquals(clock.timers(), 0);
  assertEquals(await other.listRuns({ idle: true }), ["a", "b", "c"]);
});

leaseTest(
  "renews no lease after a failed write, and gives it back at the release",
  async (bench) => {
    const { clock } = bench;
    const [store, other] = [bench.open(), bench.open()];
    const log = logBuilder("run");
    await store.startRun("run", log.start());
    bench.fail("next");
    await assertRejects(() => store.writeIntent("run", log.fork().next()), StoreFailedError);
    assertEquals(clock.timers(), 0);
    assertEquals(await other.listRuns({ idle: true }), []);
    await store.releaseRun("run");
    assertEquals(await other.listRuns({ idle: true }), ["run"]);
  },
);

leaseTest("lets a lease run out that cannot be given back", async (bench) => {
  const [store, other] = [bench.open(), bench.open()];
  await store.startRun("run", logBuilder("run").start());
  bench.fail("all");
  await store.releaseRun("run");
  assertEquals(await other.listRuns({ idle: true }), []);
  bench.clock.pass(30_001);
  assertEquals(await other.listRuns({ idle: true }), ["run"]);
});

leaseTest("lets a timer that cannot renew fail unheard", async (bench) => {
  const { clock } = bench;
  const store = bench.open();
  await store.startRun("run", logBuilder("run").start());
  bench.fail("all");
  clock.pass(20_000);
  await bench.settled();
  assertEquals(clock.timers(), 1);
  await store.releaseRun("run");
  assertEquals(clock.timers(), 0);
});

leaseTest("renews nothing that another driver has taken", async (bench) => {
  const { clock } = bench;
  const [store, other] = [bench.open(), bench.open()];
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  clock.stall(30_001);
  await other.claimRun!("run", log.head);
  clock.pass(10_000);
  await bench.settled();
  await assertRejects(() => store.writeIntent("run", log.fork().next()), RunConflictError);
  await other.writeIntent("run", log.next());
  await store.releaseRun("run");
  assertEquals(await store.listRuns({ idle: true }), [], "the release of one that lost it");
  await other.releaseRun("run");
  assertEquals(clock.timers(), 0);
});

leaseTest("takes a run of its own name at once, from one that is then refused", async (bench) => {
  const [killed, restarted] = [
    bench.open({ leaseOwner: "host" }),
    bench.open({
      leaseOwner: "host",
    }),
  ];
  const log = logBuilder("run");
  await killed.startRun("run", log.start());
  assertEquals(await restarted.listRuns({ idle: true }), ["run"]);
  const stale = log.fork().next();
  await restarted.claimRun!("run", log.head);
  await restarted.writeIntent("run", log.next());
  await assertRejects(() => killed.writeIntent("run", stale), RunConflictError);
  const other = bench.open({ leaseOwner: "another" });
  await assertRejects(() => other.claimRun!("run", log.head), RunLockedError);
  for (const store of [killed, restarted]) await store.releaseRun("run");
});

leaseTest("has no leases where they last no time, and heeds those of others", async (bench) => {
  const { clock } = bench;
  const [none, other] = [bench.open({ leaseMs: 0 }), bench.open()];
  const log = logBuilder("run");
  await none.startRun("run", log.start());
  assertEquals(clock.timers(), 0);
  assertEquals(await none.listRuns({ idle: true }), ["run"]);
  await other.writeIntent("run", log.next());
  await assertRejects(() => none.writeIntent("run", log.fork().next()), RunConflictError);
  await none.readRun("run");
  await assertRejects(() => none.writeIntent("run", log.fork().next()), RunLockedError);
  await other.releaseRun("run");
  await none.readRun("run");
  await none.claimRun!("run", log.head);
  await none.writeIntent("run", log.next());
  assertEquals(await none.readRun("run"), log.lines);
});

leaseTest("takes no run for a claim, or a write, that is refused", async (bench) => {
  const [store, other] = [bench.open(), bench.open()];
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  await store.releaseRun("run");
  await assertRejects(() => other.claimRun!("run", "sha256:0"), RunConflictError);
  const elsewhere = logBuilder("run");
  elsewhere.start();
  elsewhere.next();
  await assertRejects(() => other.writeIntent("run", elsewhere.next()), RunConflictError);
  assertEquals(await store.listRuns({ idle: true }), ["run"]);
  await store.writeIntent("run", log.next());
  await store.releaseRun("run");
});

leaseTest("makes no commit more for a finished run than its writes", async (bench) => {
  const store = bench.open();
  const log = logBuilder("run");
  await store.startRun("run", log.start());
  const before = bench.commits();
  await store.writeIntent("run", log.next());
  await store.writeOutcome("run", log.next());
  await store.finishRun("run", log.finish());
  await store.releaseRun("run");
  assertEquals(bench.commits() - before, 3);
});

Deno.test("kvStore() stops renewing once its database is closed", async () => {
  const clock = leaseClock();
  const { now, every } = clock;
  const kv = await Deno.openKv(":memory:");
  const store = kvStore({ kv, now, every });
  await store.startRun("run", logBuilder("run").start());
  kv.close();
  clock.pass(10_000);
  for (let turn = 0; turn < 100 && clock.timers() > 0; turn++) await null;
  assertEquals(clock.timers(), 0);
});

Deno.test("sqliteStore() and kvStore() keep no process alive by a lease", async () => {
  await inTempFolder(async (dir) => {
    const script = `
      import { kvStore } from "${import.meta.resolve("../../stores/kv.ts")}";
      import { sqliteStore } from "${import.meta.resolve("../../stores/sqlite.ts")}";
      import { logBuilder } from "${import.meta.resolve("../contract/_log_builder.ts")}";
      const kv = await Deno.openKv(":memory:");
      for (const store of [kvStore({ kv }), sqliteStore({ path: "runs.db" })]) {
        await store.startRun("run", logBuilder("run").start());
      }
      kv.close();`;
    await Deno.writeTextFile(`${dir}/driver.ts`, script);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", "--no-check", "--unstable-kv", "driver.ts"],
      cwd: dir,
    }).output();
    assertEquals(code, 0);
  });
});
