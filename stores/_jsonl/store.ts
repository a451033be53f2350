import type { RunStore } from "../../ports/mod.ts";
import {
  type LogEntry,
  PolyLoopError,
  type RunCatalog,
  RunExistsError,
  RunLockedError,
  RunLogCorruptError,
} from "../../types/mod.ts";
import { checkRunId } from "../_log/run_id.ts";
import { checkNext, emptyTail, missingRun } from "../_log/tail.ts";
import { deleteLog, listLogs, logPlace } from "./catalog.ts";
import { type LogFiles, lookAt, release, storeFailure } from "./files.ts";
import { readLog } from "./read_log.ts";
import { streamLines, streamRuns } from "./stream_log.ts";
import {
  barrier,
  checkNotFailed,
  claim,
  create,
  type JsonlRuns,
  open,
  remember,
  write,
} from "./runs.ts";

/** The store of `jsonlStore` over the files that it is given. */
export function jsonlStoreOver(files: LogFiles, folder: string): RunStore & RunCatalog {
  const runs: JsonlRuns = {
    files,
    folder,
    folderIsSafe: false,
    held: new Map(),
    failed: new Map(),
    seen: new Map(),
  };
  return {
    readRun: (runId) => readRun(runs, runId),
    async startRun(runId, entry) {
      checkRunId(runId);
      if (runs.held.has(runId)) throw new RunExistsError(runId);
      checkNext(runId, emptyTail(runId), entry);
      await write(runs, runId, entry, true, () => create(runs, runId));
      runs.failed.delete(runId);
    },
    writeIntent: (runId, entry) => append(runs, runId, entry, true),
    writeOutcome: (runId, entry) => append(runs, runId, entry, false),
    finishRun: (runId, entry) => append(runs, runId, entry, true),
    // deno-lint-ignore require-await -- what it throws must reject
    async claimRun(runId, head) {
      checkRunId(runId);
      checkNotFailed(runs, runId);
      claim(runs, runId, head);
    },
    releaseRun: (runId) => releaseRun(runs, runId),
    parameters: () => ({}),
    listRuns: (filter = {}) => listLogs(files, folder, filter),
    readLines: (runId) => streamLines(files, folder, runId),
    readRuns: () => streamRuns(files, folder),
    deleteRun: (runId) => deleteRun(runs, runId),
  };
}

async function append(
  runs: JsonlRuns,
  runId: string,
  entry: LogEntry,
  isBarrier: boolean,
): Promise<void> {
  checkRunId(runId);
  checkNotFailed(runs, runId);
  await write(runs, runId, entry, isBarrier, () => {
    const log = open(runs, runId);
    if (log === null) throw missingRun(runId, entry);
    return log;
  });
}

async function readRun(runs: JsonlRuns, runId: string): Promise<readonly string[] | null> {
  checkRunId(runId);
  const { path } = logPlace(runs.folder, runId);
  try {
    const lines = await readLines(runs, runId, path);
    runs.failed.delete(runId);
    return lines.length === 0 ? null : lines;
  } catch (error) {
    if (error instanceof PolyLoopError) throw error;
    throw storeFailure({ action: "read", runId }, path, error);
  }
}

/** A log whose torn tail is being cut off can look damaged: damage is believed when it is read twice. */
async function readLines(
  runs: JsonlRuns,
  runId: string,
  path: string,
): Promise<readonly string[]> {
  for (let attempt = 1;; attempt++) {
    const info = lookAt(runs.files, path);
    if (info === null) return [];
    try {
      const bytes = await runs.files.readFile(path);
      const { lines, ...log } = readLog(runId, bytes);
      const { dev, ino, size, mtime } = info;
      if (bytes.length === size) remember(runs, runId, { ...log, dev, ino, size, mtime });
      return lines;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      if (!(error instanceof RunLogCorruptError) || attempt === 2) throw error;
    }
  }
}

async function releaseRun(runs: JsonlRuns, runId: string): Promise<void> {
  await runs.held.get(runId)?.syncing;
  const log = runs.held.get(runId);
  if (log === undefined) return;
  if (log.unsynced) await barrier(runs, log, "release");
  if (runs.held.get(runId) !== log) return;
  release(log.file);
  runs.held.delete(runId);
}

async function deleteRun(runs: JsonlRuns, runId: string): Promise<boolean> {
  checkRunId(runId);
  if (runs.held.has(runId)) throw new RunLockedError(runId, "this store holds it");
  const deleted = await deleteLog(runs.files, logPlace(runs.folder, runId), runId);
  runs.failed.delete(runId);
  runs.seen.delete(runId);
  return deleted;
}
