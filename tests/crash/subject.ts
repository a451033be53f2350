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

/** Where this module is, from the root. */
export const SUBJECT_FILE = "tests/crash/subject.ts";

/** Loads a copy of the sources from another folder, by a copy of this module. */
export async function loadSubject(root: URL): Promise<Subject> {
  return (await import(new URL(SUBJECT_FILE, root).href)).SUBJECT;
}
