import { assertEquals, assertGreater } from "@std/assert";
import { DURABLE_STORES } from "./durable_store.ts";
import { killProcesses } from "./kills.ts";
import { rivals } from "./rivals.ts";

/** A hundredth of the 300 of `deno task crash --kills`. */
const KILLS = 3;

/** A tenth of the 20 of `deno task crash --rivals`, which also leaves the driver alone to the end. */
const RIVALS = { runs: 2, leaseMs: 2_000, killAfter: 5 };

// One process has a run over each store, and rivals that wait for leases do so while other processes are killed.
Deno.test("processes that are killed over every durable store lose nothing and do nothing twice, and rivals do nothing for runs of a process that lives", async () => {
  const [killed, rival] = await Promise.all([
    killProcesses(DURABLE_STORES, KILLS),
    rivals(DURABLE_STORES, RIVALS),
  ]);
  assertEquals([killed.kills, killed.faults], [KILLS, []]);
  assertGreater(killed.acknowledged, KILLS * DURABLE_STORES.length);
  assertEquals(rival.faults, []);
  // Five calls and four actions of each run, and those of them that were begun again.
  assertGreater(rival.deeds, 9 * RIVALS.runs * DURABLE_STORES.length - 1);
});
