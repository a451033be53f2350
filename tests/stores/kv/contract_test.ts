import { assertEquals } from "@std/assert";
import type { RunStore } from "../../../ports/mod.ts";
import { kvStore } from "../../../stores/kv.ts";
import type { RunCatalog } from "../../../types/mod.ts";
import { storeContract } from "../../contract/store_contract.ts";
import { type LeaseClock, leaseClock } from "../drivers/lease_clock.ts";
import { faultyKv, type KvFaults } from "../drivers/kv_faults.ts";

type Store = RunStore & RunCatalog;

interface Place {
  readonly dir: string;
  readonly kv: Deno.Kv;
  readonly faults: KvFaults;
  readonly clock: LeaseClock;
}

const places = new WeakMap<Store, Place>();

async function openAt({ dir, clock }: Pick<Place, "dir" | "clock">): Promise<Store> {
  const faults: KvFaults = { commits: [] };
  const kv = await Deno.openKv(`${dir}/runs.kv`);
  const { now, every } = clock;
  const store = kvStore({ kv: faultyKv(kv, faults), now, every });
  places.set(store, { dir, kv, faults, clock });
  return store;
}

const openAgain = (store: Store) => openAt(places.get(store)!);

const cases = storeContract<Store>({
  makeStore: async () => await openAt({ dir: await Deno.makeTempDir(), clock: leaseClock() }),
  catalog: (store) => store,
  reopen: openAgain,
  crash: openAgain,
  openBeside: openAgain,
  letLeasesEnd: (store) => places.get(store)!.clock.stall(30_001),
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
