import { parseLogLine, type RunFilter, RunLockedError } from "../../types/mod.ts";
import { isRunId } from "../_log/run_id.ts";
import {
  isLocked,
  type LogFiles,
  type LogPlace,
  openIfThere,
  readFrom,
  release,
  storeFailure,
  syncFolderSync,
} from "./files.ts";
import { openLocked } from "./held_log.ts";
import { endBeforeNuls } from "./read_log.ts";

/** What the name of a run's file ends with. */
export const EXTENSION = ".jsonl";
const TORN = /^\.torn-\d+(-\d+)?$/;
const LF = 0x0a;
const FIRST_WINDOW = 65_536;

/** Where a run's log is. */
export function logPlace(folder: string, runId: string): LogPlace {
  return { folder, path: `${folder}/${runId}${EXTENSION}` };
}

/**
 * The ids of the runs in a folder, sorted. Of each file it reads the tail alone.
 */
export async function listLogs(
  files: LogFiles,
  folder: string,
  { unfinished = false, idle = false }: RunFilter,
): Promise<readonly string[]> {
  const ids: string[] = [];
  try {
    for await (const { name, isFile } of files.readDir(folder)) {
      const runId = name.slice(0, -EXTENSION.length);
      if (!isFile || !name.endsWith(EXTENSION) || !isRunId(runId)) continue;
      const { path } = logPlace(folder, runId);
      const line = lastLine(files, path);
      if (line === null || (unfinished && isFinished(line))) continue;
      if (!idle || isIdle(files, path)) ids.push(runId);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && ids.length === 0) return [];
    throw storeFailure({ action: "list" }, folder, error);
  }
  return ids.sort();
}

/** Whether a file is there and nobody has it locked. */
function isIdle(files: LogFiles, path: string): boolean {
  const file = openIfThere(files, path, { read: true });
  if (file === null) return false;
  try {
    return !isLocked(file);
  } finally {
    file.close();
  }
}

/**
 * Removes a run's file and the torn tails beside it.
 *
 * @returns Whether the run had been started.
 * @throws {RunLockedError} If it is driven.
 */
export async function deleteLog(
  files: LogFiles,
  place: LogPlace,
  runId: string,
): Promise<boolean> {
  const { folder, path } = place;
  try {
    const file = openLocked(files, runId, place);
    if (file === null) return false;
    try {
      const started = lastLine(files, path) !== null;
      for (const torn of await tornTails(files, place)) files.removeSync(torn);
      files.removeSync(path);
      syncFolderSync(files, folder);
      return started;
    } finally {
      release(file);
    }
  } catch (error) {
    if (error instanceof RunLockedError) throw error;
    throw storeFailure({ action: "delete", runId, durability: "unknown" }, path, error);
  }
}

async function tornTails(files: LogFiles, { folder, path }: LogPlace): Promise<readonly string[]> {
  const torn: string[] = [];
  for await (const { name } of files.readDir(folder)) {
    const other = `${folder}/${name}`;
    if (other.startsWith(path) && TORN.test(other.slice(path.length))) torn.push(other);
  }
  return torn;
}

/** Whether a line is a whole entry that ends its run: its last record is `run_finished`. */
function isFinished(line: string): boolean {
  if (!parseLogLine(line).ok) return false;
  const { records }: { readonly records: readonly { readonly type?: unknown }[] } = JSON.parse(
    line,
  );
  return records.at(-1)?.type === "run_finished";
}

/** The last line that was committed; `null` if there is none, so that the run was never started. */
export function lastLine(files: LogFiles, path: string): string | null {
  const file = openIfThere(files, path, { read: true });
  if (file === null) return null;
  try {
    const { size } = file.statSync();
    for (let window = FIRST_WINDOW;; window *= 4) {
      const from = Math.max(0, size - window);
      const line = lastLineOf(readFrom(file, from, size), from === 0);
      if (line !== undefined) return line;
    }
  } finally {
    file.close();
  }
}

/** {@link lastLine} of the end of a file; `undefined` if more of the file is needed to tell. */
function lastLineOf(bytes: Uint8Array, whole: boolean): string | null | undefined {
  const decoder = new TextDecoder();
  const feed = bytes.lastIndexOf(LF);
  if (feed === -1 && !whole) return undefined;
  const rest = decoder.decode(bytes.subarray(feed + 1, endBeforeNuls(bytes, feed + 1)));
  if (parseLogLine(rest).ok) return rest;
  if (feed === -1) return null;
  const before = feed === 0 ? -1 : bytes.lastIndexOf(LF, feed - 1);
  if (before === -1 && !whole) return undefined;
  return decoder.decode(bytes.subarray(before + 1, feed));
}
