import { assertEquals, assertGreater } from "@std/assert";
import { DURABLE_STORES } from "./durable_store.ts";
import { killProcesses } from "./kills.ts";

for (const store of DURABLE_STORES) {
  Deno.test(`killProcesses() loses nothing and does nothing twice over ${store}`, async () => {
    const { kills, acknowledged, faults } = await killProcesses(store, 20);
    assertEquals([kills, faults], [20, []]);
    assertGreater(acknowledged, kills);
  });
}
