import type { RunStore } from "../../mod.ts";
import { jsonlStoreOver } from "../../stores/_jsonl/store.ts";
import { openSqliteStore } from "../../stores/_sqlite/store.ts";
import { kvStore } from "../../stores/kv.ts";
import { memoryStore } from "../../stores/memory.ts";
import { faultyFiles } from "../stores/drivers/faulty_files.ts";
import { faultyKv, type KvFaults } from "../stores/drivers/kv_faults.ts";
import { faultyConnect, type SqliteFaults } from "../stores/drivers/sqlite_faults.ts";

/** What was asked of a store. */
export interface StoreCounts {
  /** How many writes were barriers. */
  barriers: number;
  /** How many were none. */
  outcomes: number;
  /** The bytes of all lines, each with its LF. */
  bytes: number;
}

/** A store of which every write is counted, and what stands for its syncs. */
export interface CountedStore {
  readonly store: RunStore;
  readonly counts: StoreCounts;
  /** How often data was brought to the disk so far: fdatasyncs of logs, or commits that are synced. */
  syncs(): number;
  /** How often the names in the folder were brought to the disk so far. */
  folderSyncs(): number;
  close(): void;
}

/** The stores that can be counted. */
export type StoreKind = "memory" | "jsonl" | "sqlite" | "kv";

/** Opens a store in a folder, counted. */
export async function countedStore(kind: StoreKind, folder: string): Promise<CountedStore> {
  switch (kind) {
    case "memory":
      return counted(memoryStore(), () => 0);
    case "jsonl":
      return countedFiles(folder);
    case "sqlite":
      return countedSqlite(`${folder}/runs.db`);
    case "kv":
      return await countedKv(`${folder}/kv.db`);
  }
}

function countedFiles(folder: string): CountedStore {
  const disk = faultyFiles();
  const syncs = (name: string) => () =>
    disk.calls.filter((call) => call.startsWith("sync ") && call.endsWith(name)).length;
  const folderName = folder.slice(folder.lastIndexOf("/") + 1);
  return {
    ...counted(jsonlStoreOver(disk, folder), syncs(".jsonl")),
    folderSyncs: syncs(` ${folderName}`),
  };
}

/** A commit under `synchronous=FULL` is one sync of the journal. */
function countedSqlite(path: string): CountedStore {
  let isFull = false;
  let syncs = 0;
  const faults: SqliteFaults = {
    open: 0,
    onStatement(sql) {
      const level = /^PRAGMA synchronous = (\w+)$/.exec(sql)?.[1];
      if (level !== undefined) isFull = level === "FULL";
    },
    onCommit(commit) {
      commit();
      if (isFull) syncs++;
    },
  };
  return counted(openSqliteStore(path, faultyConnect(faults)), () => syncs);
}

/** Every commit of a KV database is durable. */
async function countedKv(path: string): Promise<CountedStore> {
  const kv = await Deno.openKv(path);
  const faults: KvFaults = { commits: [] };
  const store = kvStore({ kv: faultyKv(kv, faults) });
  return { ...counted(store, () => faults.commits.length), close: () => kv.close() };
}

function counted(inner: RunStore, syncs: () => number): CountedStore {
  return { ...countWrites(inner), syncs, folderSyncs: () => 0, close: () => {} };
}

/** A store that counts what is written to another. */
export function countWrites(inner: RunStore): Pick<CountedStore, "store" | "counts"> {
  const counts: StoreCounts = { barriers: 0, outcomes: 0, bytes: 0 };
  const count =
    (what: "barriers" | "outcomes", write: RunStore["writeIntent"]): typeof write =>
    async (runId, entry) => {
      await write(runId, entry);
      counts[what]++;
      counts.bytes += utf8Length(entry.line) + 1;
    };
  const store: RunStore = {
    ...inner,
    startRun: count("barriers", inner.startRun),
    writeIntent: count("barriers", inner.writeIntent),
    writeOutcome: count("outcomes", inner.writeOutcome),
    finishRun: count("barriers", inner.finishRun),
  };
  return { store, counts };
}

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
