import {
  type LogEntry,
  PolyLoopError,
  RunConflictError,
  RunExistsError,
  StoreFailedError,
} from "../../types/mod.ts";
import { checkHead, checkNext, missingRun } from "../_log/tail.ts";
import { lastLine, logPlace } from "./catalog.ts";
import { type LogFiles, makeFolder, release, storeFailure, syncFolderName } from "./files.ts";
import {
  appendEntry,
  createLog,
  type HeldLog,
  openLog,
  type SeenLog,
  syncLog,
} from "./held_log.ts";

/** How many reads are remembered. */
const MAX_SEEN = 256;

/** What a store knows of its runs. */
export interface JsonlRuns {
  readonly files: LogFiles;
  readonly folder: string;
  /** Whether this store has brought the folder's name to the disk. */
  folderIsSafe: boolean;
  /** The runs that it drives. */
  readonly held: Map<string, HeldLog>;
  /** The runs that it refuses until they are read, each with what failed. */
  readonly failed: Map<string, unknown>;
  /** What the last reads found, so that the first write after one need not read the file again. */
  readonly seen: Map<string, SeenLog>;
}

/** Remembers what a read found. */
export function remember({ seen }: JsonlRuns, runId: string, log: SeenLog): void {
  seen.delete(runId);
  seen.set(runId, log);
  for (const oldest of seen.keys()) {
    if (seen.size <= MAX_SEEN) break;
    seen.delete(oldest);
  }
}

/** Lets go of a run after a failure and refuses it until it is read; gives what failed. */
function refusedUntilRead({ held, failed }: JsonlRuns, runId: string, failure: unknown): unknown {
  const log = held.get(runId);
  if (log !== undefined) release(log.file);
  held.delete(runId);
  failed.set(runId, failure);
  return failure;
}

/** Refuses a write of a run that failed and was not read since. */
export function checkNotFailed({ failed }: JsonlRuns, runId: string): void {
  if (!failed.has(runId)) return;
  const cause = failed.get(runId);
  const detail = `an earlier write failed and the run was not read since: ${cause}`;
  throw new StoreFailedError({ action: "write", runId, durability: "none" }, detail, { cause });
}

/** Opens a run that is there; `null` if there is none. */
export function open(runs: JsonlRuns, runId: string): HeldLog | null {
  const { files, folder, seen } = runs;
  const found = seen.get(runId);
  seen.delete(runId);
  const log = openLog(files, runId, logPlace(folder, runId), found);
  if (log === null) return null;
  try {
    secureFolder(runs);
  } catch (error) {
    release(log.file);
    throw error;
  }
  if (log.tail.length > 0) return log;
  release(log.file);
  return null;
}

/** Brings the folder's name to the disk, once for each store. */
function secureFolder(runs: JsonlRuns): void {
  if (runs.folderIsSafe) return;
  syncFolderName(runs.files, runs.folder);
  runs.folderIsSafe = true;
}

/** Makes the file of a new run, or takes the file of one that never started. */
export function create(runs: JsonlRuns, runId: string): HeldLog {
  const { files, folder } = runs;
  const place = logPlace(folder, runId);
  if (makeFolder(files, folder)) runs.folderIsSafe = true;
  secureFolder(runs);
  const created = createLog(files, runId, place);
  if (created !== null) return created;
  if (lastLine(files, place.path) !== null) throw new RunExistsError(runId);
  const log = openLog(files, runId, place, undefined);
  if (log === null) throw new Error("it was deleted while it was opened");
  return log;
}

/**
 * Writes an entry as the next of a log that is held, or that is taken up for it. The check of its place and the write
 * are one synchronous piece: no other driver comes between. A driver that is refused does not stop the one that holds
 * the run; where none does, the run must be read again.
 */
export async function write(
  runs: JsonlRuns,
  runId: string,
  entry: LogEntry,
  isBarrier: boolean,
  takeUp: () => HeldLog,
): Promise<void> {
  const { files, folder, held } = runs;
  let log = held.get(runId);
  if (log !== undefined) checkTurn(log, entry);
  try {
    if (log === undefined) {
      const opened = takeUp();
      log = takenUp(opened, () => checkTurn(opened, entry));
    }
    held.set(runId, log);
    appendEntry(files, log, entry);
  } catch (error) {
    if (error instanceof RunExistsError) throw error;
    const failure = error instanceof PolyLoopError ? error : storeFailure(
      { action: "write", runId, durability: "none" },
      logPlace(folder, runId).path,
      error,
    );
    throw refusedUntilRead(runs, runId, failure);
  }
  if (isBarrier) await barrier(runs, log, "write");
}

/**
 * Takes up a run, or keeps it, where its log ends with a hash.
 *
 * @throws {RunLockedError} If another process or store holds it.
 * @throws {RunConflictError} If its log does not end there, or there is no such run.
 */
export function claim(runs: JsonlRuns, runId: string, head: string): void {
  const { folder, held } = runs;
  const known = held.get(runId);
  try {
    const log = known ?? open(runs, runId);
    if (log === null) throw missingRun(runId, { seq: 0 });
    const check = () => {
      checkFree(log, log.tail.length);
      checkHead(runId, log.tail, head);
    };
    if (known === undefined) held.set(runId, takenUp(log, check));
    else check();
  } catch (error) {
    if (error instanceof PolyLoopError) throw error;
    const task = { action: "write", runId, durability: "none" } as const;
    throw storeFailure(task, logPlace(folder, runId).path, error);
  }
}

function checkTurn(log: HeldLog, entry: LogEntry): void {
  checkFree(log, entry.seq);
  checkNext(log.runId, log.tail, entry);
}

function checkFree({ runId, syncing }: HeldLog, seq: number): void {
  if (syncing === null) return;
  throw new RunConflictError(runId, seq, "another driver's write is under way");
}

/** A log that was opened, if it stands a check; else its lock is given back. */
function takenUp(log: HeldLog, check: () => void): HeldLog {
  try {
    check();
    return log;
  } catch (error) {
    release(log.file);
    throw error;
  }
}

/** Brings a log to the disk; after a failure the run is refused before anyone who waits learns of it. */
export async function barrier(
  runs: JsonlRuns,
  log: HeldLog,
  action: "write" | "release",
): Promise<void> {
  const work = syncLog(runs.files, log, action, runs.held.size === 1).catch((error) => {
    throw refusedUntilRead(runs, log.runId, error);
  });
  log.syncing = work.catch(() => {});
  await work;
  log.syncing = null;
}
