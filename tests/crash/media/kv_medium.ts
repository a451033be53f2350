import type { KvAtomicOperation, KvDatabase, KvStoreKey } from "../../../stores/_kv/database.ts";
import { type LeaseClock, leaseClock } from "../../stores/drivers/lease_clock.ts";
import { type InnerPoints, LONG_MS, type Medium, type Snapshot } from "./medium.ts";

interface Item {
  readonly key: KvStoreKey;
  readonly value: unknown;
  readonly versionstamp: string;
}

type Items = Map<string, Item>;

/** The KV store over a model of the database: an atomic commit takes effect whole or not at all, and is durable. */
export function kvMedium(held: ReadonlyMap<string, Item> = new Map(), start = 0): Medium {
  const clock = leaseClock(start);
  const items: Items = new Map(held);
  let version = [...held.values()].reduce((last, it) => Math.max(last, Number(it.versionstamp)), 0);
  let snapshot: Snapshot | undefined;
  const commit = (mutate: (items: Items, versionstamp: string) => void): string => {
    const versionstamp = String(++version).padStart(20, "0");
    mutate(items, versionstamp);
    snapshot = undefined;
    return versionstamp;
  };
  return {
    clock,
    open(subject, points) {
      const kv = database(items, commit, points, clock);
      return subject.kvStore({ kv, now: clock.now, every: clock.every });
    },
    snapshot: () => snapshot ??= snapshotOf(new Map(items), clock.now() + LONG_MS),
    dispose() {},
  };
}

function snapshotOf(items: ReadonlyMap<string, Item>, later: number): Snapshot {
  const survivors = [{
    key: keyOf(items),
    power: false,
    settled: true,
    size: undefined,
    restore: () => kvMedium(items, later),
  }];
  return { survivors: () => survivors, images: () => [] };
}

/** The entries in order, without the tokens, and how many keys of each kind there are. */
function keyOf(items: ReadonlyMap<string, Item>): string {
  const kinds: Record<string, number> = {};
  const lines: string[] = [];
  for (const { key, value } of sorted(items, [])) {
    const kind = String(key[2]);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (kind !== "entry") continue;
    const { bytes } = value as { bytes: Uint8Array | number };
    lines.push(
      typeof bytes === "number" ? `${bytes} chunks` : new TextDecoder().decode(bytes.slice(-22)),
    );
  }
  return `${JSON.stringify(kinds)} ${lines.join()}`;
}

function nameOf(key: KvStoreKey): string {
  return JSON.stringify(key);
}

function sorted(items: ReadonlyMap<string, Item>, prefix: KvStoreKey): Item[] {
  return [...items.values()]
    .filter(({ key }) => prefix.length < key.length && prefix.every((part, i) => key[i] === part))
    .sort((a, b) => compare(a.key, b.key));
}

function compare(a: KvStoreKey, b: KvStoreKey): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a[i] as string | number, b[i] as string | number];
    if (x !== y) return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

function database(
  items: Items,
  commit: (mutate: (items: Items, versionstamp: string) => void) => string,
  points: InnerPoints,
  clock: LeaseClock,
): KvDatabase {
  const read = <T>(body: () => T): T =>
    points.look("kv-read", (fault) => {
      if (fault !== undefined) throw new Error(fault);
      return body();
    });
  return {
    async get(key) {
      await points.pause("kv-read");
      const item = read(() => items.get(nameOf(key)));
      return { value: item?.value ?? null, versionstamp: item?.versionstamp ?? null };
    },
    async *list({ prefix }, { limit, reverse }) {
      await points.pause("kv-read");
      const found = read(() => sorted(items, prefix));
      if (reverse) found.reverse();
      yield* found.slice(0, limit);
    },
    atomic: () => operation(items, commit, points, clock),
  };
}

function operation(
  items: Items,
  commit: (mutate: (items: Items, versionstamp: string) => void) => string,
  points: InnerPoints,
  clock: LeaseClock,
): KvAtomicOperation {
  const checks: { key: KvStoreKey; versionstamp: string | null }[] = [];
  const mutations: ((items: Items, versionstamp: string) => void)[] = [];
  const self: KvAtomicOperation = {
    check(...more) {
      checks.push(...more);
      return self;
    },
    set(key, value) {
      mutations.push((items, versionstamp) => items.set(nameOf(key), { key, value, versionstamp }));
      return self;
    },
    delete(key) {
      mutations.push((items) => items.delete(nameOf(key)));
      return self;
    },
    async commit() {
      // What a timer commits comes when the timer fires, and waits for no turn.
      if (!clock.isFiring()) await points.pause("kv-commit");
      const holds = () =>
        checks.every(({ key, versionstamp }) =>
          (items.get(nameOf(key))?.versionstamp ?? null) === versionstamp
        );
      return points.inner("kv-commit", (fault) => {
        if (fault === "locked") throw new Error("database is locked");
        if (fault === "absent") throw new Error("the connection was lost");
        if (!holds()) return { ok: false } as const;
        const versionstamp = commit((items, stamp) => mutations.forEach((it) => it(items, stamp)));
        if (fault === "committed") throw new Error("the answer was lost");
        if (fault === "committed-refused") return { ok: false } as const;
        return { ok: true, versionstamp } as const;
      });
    },
  };
  return self;
}
