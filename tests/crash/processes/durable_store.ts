import type { RunStore } from "../../../mod.ts";
import { jsonlStore } from "../../../stores/jsonl.ts";
import { kvStore } from "../../../stores/kv.ts";
import { sqliteStore } from "../../../stores/sqlite.ts";
import type { LeaseOptions, RunCatalog } from "../../../types/mod.ts";

/** The stores that keep runs beyond the death of their process. */
export const DURABLE_STORES = ["jsonl", "sqlite", "kv"] as const;

/** One of {@link DURABLE_STORES}. */
export type DurableStore = (typeof DURABLE_STORES)[number];

/** The id of one of the runs that are driven over a store: it tells of which. */
export function runIdOf(store: DurableStore, number: number): string {
  return `${store}-${number}`;
}

/** Leases of a process that is started again when it was killed. */
const RESTARTED: LeaseOptions = { leaseOwner: "restarted" };

/** Opens a store in a folder, as any process would. */
export async function withDurableStore<T>(
  kind: DurableStore,
  folder: string,
  use: (store: RunStore & RunCatalog) => Promise<T>,
  leases: LeaseOptions = RESTARTED,
): Promise<T> {
  if (kind === "jsonl") return await use(jsonlStore({ dir: `${folder}/runs` }));
  if (kind === "sqlite") return await use(sqliteStore({ path: `${folder}/runs.db`, ...leases }));
  using kv = await Deno.openKv(`${folder}/runs.kv`);
  return await use(kvStore({ kv, ...leases }));
}
