import { jsonlMedium } from "./jsonl_medium.ts";
import { kvMedium } from "./kv_medium.ts";
import type { Medium } from "./medium.ts";
import { memoryMedium } from "./memory_medium.ts";
import { sqliteMedium } from "./sqlite_medium.ts";

/** The stores that are explored. */
export const STORES = ["memory", "jsonl", "sqlite", "kv"] as const;

/** One of {@link STORES}. */
export type StoreName = (typeof STORES)[number];

/** An empty medium for a run in a store. */
export function makeMedium(store: StoreName, runId: string): Medium {
  switch (store) {
    case "memory":
      return memoryMedium(runId);
    case "jsonl":
      return jsonlMedium(runId);
    case "sqlite":
      return sqliteMedium();
    case "kv":
      return kvMedium();
  }
}
