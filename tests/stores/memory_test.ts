import { assertEquals } from "@std/assert";
import { memoryStore } from "../../stores/memory.ts";
import { storeContract } from "../contract/store_contract.ts";

for (const { name, run } of storeContract({ makeStore: memoryStore, catalog: (store) => store })) {
  Deno.test(`memoryStore() ${name}`, run);
}

Deno.test("memoryStore() has nothing that bears on a run", () => {
  assertEquals(memoryStore().parameters(), {});
});
