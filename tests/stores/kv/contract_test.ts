import { assertEquals } from "@std/assert";
import type { RunStore } from "../../../ports/mod.ts";
import { kvStore } from "../../../stores/kv.ts";
import type { RunCatalog } from "../../../types/mod.ts";
import { storeContract } from "../../contract/store_contract.ts";
import { faultyKv, type KvFaults } from "../drivers/kv_faults.ts";

type Store = RunStore & RunCatalog;

interface Place {
  readonly dir: string;
  readonly kv: Deno.Kv;
  readonly faults: KvFaults;
}

const places = new WeakMap<Store, Place>();

async function openAt(dir: string): Promise<Store> {
  const faults: KvFaults = { commits: [] };
  const kv = await Deno.openKv(`${dir}/runs.kv`);
  const store = kvStore({ kv: faultyKv(kv, faults) });
  places.set(store, { dir, kv, faults });
  return store;
}

const openAgain = (store: Store) => openAt(places.get(store)!.dir);

const cases = storeContract<Store>({
  makeStore: async () => await openAt(await Deno.makeTempDir()),
  catalog: (store) => store,
  reopen: openAgain,
  crash: openAgain,
  openBeside: openAgain,
  failNextWrite(store) {
    const { faults } = places.get(store)!;
    faults.onCommit = () => {
      delete faults.onCommit;
      return Promise.reject(new TypeError("disk I/O error"));
    };
  },
  loseNextAnswer(store) {
    const { faults } = places.get(store)!;
    faults.onCommit = async (commit) => {
      delete faults.onCommit;
      await commit();
      throw new TypeError("connection reset");
    };
  },
  async dispose(store) {
    const { dir, kv } = places.get(store)!;
    kv.close();
    await Deno.remove(dir, { recursive: true }).catch(() => {});
  },
});

for (const { name, run } of cases) Deno.test(`kvStore() ${name}`, run);

Deno.test("kvStore() has nothing that bears on a run", async () => {
  using kv = await Deno.openKv(":memory:");
  assertEquals(kvStore({ kv }).parameters(), {});
});
