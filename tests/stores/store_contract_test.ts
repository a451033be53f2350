import { assert, assertEquals } from "@std/assert";
import type { RunStore } from "../../ports/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  type Durability,
  type LogEntry,
  type RunCatalog,
  RunConflictError,
  StoreFailedError,
} from "../../types/mod.ts";
import { storeContract } from "../contract/store_contract.ts";

function failedWrite(runId: string, durability: Durability, reason: string): StoreFailedError {
  return new StoreFailedError({ action: "write", runId, durability }, reason);
}

interface Store extends RunStore, RunCatalog {
  /** What the next write meets. */
  next: "nothing" | "failure" | "lost answer";
}

type Write = (runId: string, entry: LogEntry) => Promise<void>;

/** Gives the methods that take the place of those of a sound store. */
type Break = (store: Store) => Partial<Store>;

/** A store in memory that keeps the contract and whose writes can fail. */
function soundStore(): Store {
  const inner = memoryStore();
  const refused = new Set<string>();
  const guarded = (write: Write): Write => async (runId, entry) => {
    if (refused.has(runId)) throw failedWrite(runId, "none", "read it first");
    const meets = store.next;
    store.next = "nothing";
    if (meets !== "failure") await write(runId, entry);
    if (meets === "nothing") return;
    if (write !== inner.startRun) refused.add(runId);
    throw failedWrite(runId, meets === "failure" ? "none" : "unknown", meets);
  };
  const store: Store = {
    ...inner,
    next: "nothing",
    readRun(runId) {
      refused.delete(runId);
      return inner.readRun(runId);
    },
    startRun: guarded(inner.startRun),
    writeIntent: guarded(inner.writeIntent),
    writeOutcome: guarded(inner.writeOutcome),
    finishRun: guarded(inner.finishRun),
  };
  return store;
}

/** The names of the cases that a broken store fails, of those whose names include a text. */
async function failedCases(breakStore: Break, text = ""): Promise<readonly string[]> {
  const kept = new WeakMap<Store, Store>();
  const open = (sound: Store): Store => {
    const store = { ...sound, ...breakStore(sound) };
    kept.set(store, sound);
    return store;
  };
  const again = (store: Store) => open(kept.get(store)!);
  const meet = (next: Store["next"]) => (store: Store) => void (kept.get(store)!.next = next);
  const cases = storeContract<Store>({
    makeStore: () => open(soundStore()),
    catalog: (store) => store,
    reopen: again,
    crash: again,
    openBeside: again,
    failNextWrite: meet("failure"),
    loseNextAnswer: meet("lost answer"),
  }).filter(({ name }) => name.includes(text));
  const outcomes = await Promise.allSettled(cases.map((one) => one.run()));
  return cases.filter((_, i) => outcomes[i]!.status === "rejected").map(({ name }) => name);
}

/** Reads what a store keeps as something else. */
const reads = (change: (line: string) => string): Break => (store) => ({
  readRun: async (runId) => (await store.readRun(runId))?.map(change) ?? null,
});

/** Writes every entry but the first in another way. */
const writes = (write: (store: Store, inner: Write) => Write): Break => (store) => ({
  writeIntent: write(store, store.writeIntent),
  writeOutcome: write(store, store.writeOutcome),
  finishRun: write(store, store.finishRun),
});

const BROKEN: Readonly<Record<string, readonly [Break, string]>> = {
  "reads no run as an empty one": [
    (store) => ({ readRun: async (runId) => await store.readRun(runId) ?? [] }),
    "never started",
  ],
  "gives its own list away": [
    (store) => {
      const lists = new Map<string, readonly string[]>();
      return {
        async readRun(runId) {
          const lines = await store.readRun(runId);
          if (lines === null) return null;
          if (lists.get(runId)?.length !== lines.length) lists.set(runId, lines);
          return lists.get(runId)!;
        },
      };
    },
    "array of the caller's own",
  ],
  "writes JSON anew": [reads((line) => JSON.stringify(JSON.parse(line))), "kept as the text"],
  "normalises text": [reads((line) => line.normalize("NFC")), "text of every kind"],
  "strips byte order marks": [reads((line) => line.replaceAll("\ufeff", "")), "text of every kind"],
  "cuts what is long": [reads((line) => line.slice(0, 70_000)), "an entry with a payload"],
  "takes an entry that is there for its own": [
    writes((store, inner) => async (runId, entry) => {
      const lines = await store.readRun(runId);
      if (!lines?.includes(entry.line)) await inner(runId, entry);
    }),
    "refuses a taken seq",
  ],
  "takes an entry at any place": [
    writes((_, inner) => (runId, entry) => inner(runId, entry).catch(() => {})),
    "refuses a taken seq",
  ],
  "says what was refused in words of its own": [
    writes((_, inner) => (runId, entry) =>
      inner(runId, entry).catch(() => Promise.reject(new Error("no")))
    ),
    "refuses a taken seq",
  ],
  "refuses a driver because another one was refused": [
    (store) => {
      const stopped = new Set<string>();
      return writes((_, inner) => async (runId, entry) => {
        if (stopped.has(runId)) throw new RunConflictError(runId, entry.seq, "stopped");
        await inner(runId, entry).catch((error) => {
          stopped.add(runId);
          throw error;
        });
      })(store);
    },
    "does not stop the rightful driver",
  ],
  "starts a run that is there": [
    (store) => ({ startRun: (runId, entry) => store.startRun(runId, entry).catch(() => {}) }),
    "startRun() refuses a run that exists",
  ],
  "acknowledges outcomes that it drops": [
    () => ({ writeOutcome: () => Promise.resolve() }),
    "byte for byte in the order",
  ],
  "forgets a run that is released": [
    (store) => ({ releaseRun: async (runId) => void await store.deleteRun(runId) }),
    "a released run is read",
  ],
  "does not know a run that it does not hold": [
    (store) => ({
      async releaseRun(runId) {
        if (await store.readRun(runId) === null) throw new Error("it is not held");
      },
    }),
    "not held does nothing",
  ],
  "writes on after a failure, unread": [
    writes((store, inner) => async (runId, entry) => {
      await store.readRun(runId);
      await inner(runId, entry);
    }),
    "after a failed write",
  ],
  "calls a failed write a read": [
    writes((_, inner) => async (runId, entry) => {
      await inner(runId, entry).catch((error: unknown) => {
        if (!(error instanceof StoreFailedError)) throw error;
        throw new StoreFailedError({ action: "read", runId }, error.reason);
      });
    }),
    "after a failed write",
  ],
  "keeps what it said it did not": [
    (store) =>
      writes((_, inner) => async (runId, entry) => {
        const fails = store.next === "failure";
        store.next = "nothing";
        await inner(runId, entry);
        if (fails) throw failedWrite(runId, "none", "failed");
      })(store),
    "after a failed write",
  ],
  "lists runs in no order": [
    (store) => ({ listRuns: async (options) => (await store.listRuns(options)).toReversed() }),
    "by code point",
  ],
  "lists every run as unfinished": [
    (store) => ({ listRuns: () => store.listRuns() }),
    "gives all or the unfinished",
  ],
  "gives the lines of a run that was never there": [
    (store) => ({
      async *readLines(runId) {
        yield* runId === "never" ? [["x"]] : store.readLines(runId);
      },
    }),
    "and none of no run",
  ],
  "gives a large line in two": [
    (store) => ({
      async *readLines(runId) {
        for await (const lines of store.readLines(runId)) {
          yield lines.flatMap((line) => line.match(/.{1,100000}/gsu) ?? []);
        }
      },
    }),
    "gives a run's lines in order",
  ],
  "gives the runs in the order of their starts": [
    (store) => ({
      async *readRuns() {
        yield* (await Array.fromAsync(store.readRuns())).toReversed();
      },
    }),
    "gives each run by code point",
  ],
  "gives each run the lines of the first": [
    (store) => ({
      async *readRuns() {
        for (const runId of await store.listRuns()) yield { runId, lines: store.readLines("10") };
      },
    }),
    "gives each run by code point",
  ],
  "cuts the log of each run in a list at fifty entries": [
    (store) => ({
      async *readRuns() {
        for await (const { runId, lines } of store.readRuns()) {
          yield {
            runId,
            lines: (async function* () {
              yield (await Array.fromAsync(lines)).flat().slice(0, 50);
            })(),
          };
        }
      },
    }),
    "gives long logs among short ones whole",
  ],
  "removes the runs whose names begin alike": [
    (store) => ({
      async deleteRun(runId) {
        const ids = (await store.listRuns()).filter((id) => id.startsWith(runId));
        return (await Promise.all(ids.map((id) => store.deleteRun(id)))).includes(true);
      },
    }),
    "removes a run and only that",
  ],
  "has parameters that change": [
    () => ({ parameters: () => ({ now: String(performance.now()) }) }),
    "parameters()",
  ],
};

Deno.test("storeContract() holds a store to nothing but its contract", async () => {
  assertEquals(await failedCases(() => ({})), []);
});

for (const [what, [breakStore, criterion]] of Object.entries(BROKEN)) {
  Deno.test(`storeContract() catches a store that ${what}`, async () => {
    const failed = await failedCases(breakStore, criterion);
    assert(failed.length > 0, `no case of "${criterion}" fails`);
  });
}
