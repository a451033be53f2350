import { assert, assertEquals } from "@std/assert";
import type { RunStore } from "../../ports/mod.ts";
import { kvStore } from "../../stores/kv.ts";
import { type LeaseOptions, type RunCatalog, RunLockedError } from "../../types/mod.ts";
import { storeContract } from "../contract/store_contract.ts";
import { type LeaseClock, leaseClock } from "./drivers/lease_clock.ts";

type Store = RunStore & RunCatalog;

/** What a broken store does in another way than the sound one that it is made of. */
interface Flaw {
  readonly leases?: LeaseOptions;
  readonly change?: (sound: Store) => Partial<Store>;
  readonly endless?: boolean;
}

/** The names of the cases about leases that fail, of those whose names include a text. */
async function failedCases({ leases, change, endless }: Flaw, text = ""): Promise<string[]> {
  const places = new WeakMap<Store, { readonly kv: Deno.Kv; readonly clock: LeaseClock }>();
  const kvs: Deno.Kv[] = [];
  const open = (place: { readonly kv: Deno.Kv; readonly clock: LeaseClock }): Store => {
    const { now, every } = place.clock;
    const sound = kvStore({ kv: place.kv, now, every, ...leases });
    const store = { ...sound, ...change?.(sound) };
    places.set(store, place);
    return store;
  };
  const cases = storeContract<Store>({
    async makeStore() {
      const kv = await Deno.openKv(":memory:");
      kvs.push(kv);
      return open({ kv, clock: leaseClock() });
    },
    catalog: (store) => store,
    openBeside: (store) => open(places.get(store)!),
    letLeasesEnd: (store) => endless ? undefined : places.get(store)!.clock.stall(60_000),
  }).filter(({ name }) => name.includes(text));
  assert(cases.length > 0, `no case is about "${text}"`);
  const outcomes = await Promise.allSettled(cases.map((one) => one.run()));
  kvs.forEach((kv) => kv.close());
  return cases.filter((_, i) => outcomes[i]!.status === "rejected").map(({ name }) => name);
}

const FLAWS: Readonly<Record<string, readonly [Flaw, string]>> = {
  "gives no leases": [{ leases: { leaseMs: 0 } }, "with the time until when"],
  "gives leases that never end": [{ endless: true }, "is taken by a write"],
  "gives all its leases one name": [
    { leases: { leaseOwner: "everybody" } },
    "until it is released",
  ],
  "claims nothing": [
    { change: () => ({ claimRun: () => Promise.resolve() }) },
    "taken by a claim, which is enough",
  ],
  "claims what it was not asked for": [
    {
      change: (sound) => ({
        async claimRun(runId) {
          const lines = await sound.readRun(runId) ?? [];
          await sound.claimRun!(runId, JSON.parse(lines.at(-1) ?? '{"hash":""}').hash);
        },
      }),
    },
    "refuses a log that ends elsewhere",
  ],
  "cannot claim what it holds": [
    {
      change: (sound) => ({
        async claimRun(runId, head) {
          const idle = await sound.listRuns({ idle: true });
          if (!idle.includes(runId)) throw new RunLockedError(runId, "it is held");
          await sound.claimRun!(runId, head);
        },
      }),
    },
    "that the store holds does no harm",
  ],
  "breaks no lease": [
    { change: () => ({ breakLease: () => Promise.resolve() }) },
    "takes a run from its driver",
  ],
  "does not say until when": [
    {
      change: (sound) => ({
        claimRun: (runId, head) =>
          sound.claimRun!(runId, head).catch((error) => {
            throw error instanceof RunLockedError ? new RunLockedError(runId, "locked") : error;
          }),
      }),
    },
    "with the time until when",
  ],
  "lists what is driven as idle": [
    {
      change: (sound) => ({
        listRuns: ({ unfinished = false } = {}) => sound.listRuns({ unfinished }),
      }),
    },
    "leaves out what is driven",
  ],
  "removes what is leased": [
    {
      change: (sound) => ({
        async deleteRun(runId) {
          await sound.breakLease!(runId);
          return await sound.deleteRun(runId);
        },
      }),
    },
    "not idle and not removed",
  ],
};

Deno.test("storeContract() finds no fault with the leases of a store that has none", async () => {
  for (const [, criterion] of Object.values(FLAWS)) {
    assertEquals(await failedCases({}, criterion), []);
  }
});

for (const [what, [flaw, criterion]] of Object.entries(FLAWS)) {
  Deno.test(`storeContract() catches a store that ${what}`, async () => {
    const failed = await failedCases(flaw, criterion);
    assert(failed.length > 0, `no case of "${criterion}" fails`);
  });
}
