import * as kernel from "../../mod.ts";
import { jsonlStoreOver } from "../../stores/_jsonl/store.ts";
import { openSqliteStore } from "../../stores/_sqlite/store.ts";
import { kvStore } from "../../stores/kv.ts";
import { memoryStore } from "../../stores/memory.ts";

/** What is explored: the kernel and the stores of one copy of the sources. */
export interface Subject {
  readonly kernel: typeof kernel;
  readonly memoryStore: typeof memoryStore;
  readonly jsonlStoreOver: typeof jsonlStoreOver;
  readonly openSqliteStore: typeof openSqliteStore;
  readonly kvStore: typeof kvStore;
}

/** The sources as they are. */
export const SUBJECT: Subject = {
  kernel,
  memoryStore,
  jsonlStoreOver,
  openSqliteStore,
  kvStore,
};

/** Loads a copy of the sources from another folder. */
export async function loadSubject(root: URL): Promise<Subject> {
  const load = (path: string) => import(new URL(path, root).href);
  const [kernel, memory, jsonl, sqlite, kv] = await Promise.all([
    load("mod.ts"),
    load("stores/memory.ts"),
    load("stores/_jsonl/store.ts"),
    load("stores/_sqlite/store.ts"),
    load("stores/kv.ts"),
  ]);
  return { kernel, ...memory, ...jsonl, ...sqlite, ...kv };
}
