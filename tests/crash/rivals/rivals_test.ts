import { assertEquals, assertGreater } from "@std/assert";
import { DURABLE_STORES } from "../kills/durable_store.ts";
import { rivals } from "./rivals.ts";

/** A tenth of the 20 of `deno task crash --rivals`. */
const SAMPLE = { runs: 2, leaseMs: 2_000 };

for (const store of DURABLE_STORES) {
  Deno.test(`a second process does nothing for runs that one drives over ${store}, and goes on with those of one that was killed`, async () => {
    const [driven, killed] = await Promise.all([
      rivals(store, SAMPLE),
      rivals(store, { ...SAMPLE, killAfter: 12 }),
    ]);
    // Five calls and four actions of each run, and not one more.
    assertEquals([driven.deeds, driven.faults], [18, []]);
    assertEquals(killed.faults, []);
    assertGreater(killed.deeds, 17);
  });
}
