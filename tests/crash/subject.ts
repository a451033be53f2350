import * as main from "../../mod.ts";
import * as session from "../../session/mod.ts";
import { jsonlStoreOver } from "../../stores/_jsonl/store.ts";
import { openSqliteStore } from "../../stores/_sqlite/store.ts";
import { kvStore } from "../../stores/kv.ts";
import { memoryStore } from "../../stores/memory.ts";

/** What is explored: the kernel (with the readers of logs) and the stores of one copy of the sources. */
export interface Subject {
  readonly kernel: typeof main & typeof session;
  readonly memoryStore: typeof memoryStore;
  readonly jsonlStoreOver: typeof jsonlStoreOver;
  readonly openSqliteStore: typeof openSqliteStore;
  readonly kvStore: typeof kvStore;
}

/** The sources as they are. */
export const SUBJECT: Subject = {
  kernel: { ...main, ...session },
  memoryStore,
  jsonlStoreOver,
  openSqliteStore,
  kvStore,
};

/** Loads a copy of the sources from another folder. */
export async function loadSubject(root: URL): Promise<Subject> {
  const load = (path: string) => import(new URL(path, root).href);
  const [main, session, memory, jsonl, sqlite, kv] = await Promise.all([
    load("mod.ts"),
    load("session/mod.ts"),
    load("stores/memory.ts"),
    load("stores/_jsonl/store.ts"),
    load("stores/_sqlite/store.ts"),
    load("stores/kv.ts"),
  ]);
  return { kernel: { ...main, ...session }, ...memory, ...jsonl, ...sqlite, ...kv };
}
