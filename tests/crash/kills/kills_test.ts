import { assertEquals, assertGreater } from "@std/assert";
import { DURABLE_STORES } from "./durable_store.ts";
import { killProcesses } from "./kills.ts";

/** About a hundredth of the 300 of `deno task crash --kills`. */
const KILLS = 4;

for (const store of DURABLE_STORES) {
  Deno.test(`killProcesses() loses nothing and does nothing twice over ${store}`, async () => {
    const { kills, acknowledged, faults } = await killProcesses(store, KILLS);
    assertEquals({ kills, faults }, { kills: KILLS, faults: [] });
    assertGreater(acknowledged, kills);
  });
}
