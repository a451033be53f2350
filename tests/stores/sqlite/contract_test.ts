import { assertEquals } from "@std/assert";
import type { RunStore } from "../../../ports/mod.ts";
import { openSqliteStore } from "../../../stores/_sqlite/store.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import type { RunCatalog } from "../../../types/mod.ts";
import { storeContract } from "../../contract/store_contract.ts";
import { type LeaseClock, leaseClock } from "../drivers/lease_clock.ts";
import { faultyConnect, sqliteError, type SqliteFaults } from "../drivers/sqlite_faults.ts";

type Store = RunStore & RunCatalog;

interface Place {
  readonly dir: string;
  readonly faults: SqliteFaults;
  readonly clock: LeaseClock;
}

const places = new WeakMap<Store, Place>();

function openAt(place: Place): Store {
  const store = openSqliteStore(
    `${place.dir}/runs.db`,
    faultyConnect(place.faults),
    place.clock,
  );
  places.set(store, place);
  return store;
}

function openAgain(store: Store): Store {
  return openAt(places.get(store)!);
}

const cases = storeContract<Store>({
  makeStore: async () =>
    openAt({ dir: await Deno.makeTempDir(), faults: { open: 0 }, clock: leaseClock() }),
  catalog: (store) => store,
  reopen: openAgain,
  crash: openAgain,
  openBeside: openAgain,
  letLeasesEnd: (store) => places.get(store)!.clock.stall(30_001),
  failNextWrite(store) {
    const { faults } = places.get(store)!;
    faults.onCommit = () => {
      delete faults.onCommit;
      throw sqliteError("database or disk is full", 13);
    };
  },
  loseNextAnswer(store) {
    const { faults } = places.get(store)!;
    faults.onCommit = (commit) => {
      delete faults.onCommit;
      commit();
      throw sqliteError("interrupted", 9);
    };
  },
  dispose: (store) => Deno.remove(places.get(store)!.dir, { recursive: true }).catch(() => {}),
});

for (const { name, run } of cases) Deno.test(`sqliteStore() ${name}`, run);

Deno.test("sqliteStore() has nothing that bears on a run", () => {
  assertEquals(sqliteStore({ path: "runs.db" }).parameters(), {});
});
