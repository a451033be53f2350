import { assertEquals, assertGreater } from "@std/assert";
import { DURABLE_STORES } from "../kills/durable_store.ts";
import { rivals } from "./rivals.ts";

/** A tenth of the 20 of `deno task crash --rivals`. */
const SAMPLE = { runs: 2, leaseMs: 2_000 };

for (const store of DURABLE_STORES) {
  Deno.test(`a second process does nothing for runs that one drives over ${store}`, async () => {
    const { deeds, faults } = await rivals(store, SAMPLE);
    // Five calls and four actions of each run, and not one more.
    assertEquals({ deeds, faults }, { deeds: 18, faults: [] });
  });
  Deno.test(`a second process goes on with the runs of one that was killed over ${store}`, async () => {
    const { deeds, faults } = await rivals(store, { ...SAMPLE, killAfter: 12 });
    assertEquals(faults, []);
    assertGreater(deeds, 17);
  });
}
