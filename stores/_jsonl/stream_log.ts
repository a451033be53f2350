import { PolyLoopError, RunLogCorruptError, type StoredRun } from "../../types/mod.ts";
import { checkRunId, isRunId } from "../_log/run_id.ts";
import { EXTENSION, logPlace } from "./catalog.ts";
import { type LogFiles, openIfThere, readFrom, storeFailure } from "./files.ts";
import { LogScan } from "./read_log.ts";

/** How many bytes are read at a time. */
const WINDOW = 1024 * 1024;

/** The lines of a run's log, one after the other. Damage is believed when it is read twice, as in a read of all. */
export async function* streamLines(
  files: LogFiles,
  folder: string,
  runId: string,
): AsyncGenerator<string> {
  checkRunId(runId);
  const { path } = logPlace(folder, runId);
  let given = 0;
  for (let attempt = 1;; attempt++) {
    let read = 0;
    try {
      for (const line of scannedLines(files, runId, path)) {
        if (read++ < given) continue;
        given = read;
        yield line;
      }
      return;
    } catch (error) {
      if (error instanceof RunLogCorruptError && attempt === 1) continue;
      throw error instanceof PolyLoopError
        ? error
        : storeFailure({ action: "read", runId }, path, error);
    }
  }
}

/** The runs of a folder with their lines. */
export async function* streamRuns(files: LogFiles, folder: string): AsyncGenerator<StoredRun> {
  for (const runId of await namedRuns(files, folder)) {
    yield { runId, lines: streamLines(files, folder, runId) };
  }
}

/** The ids that files are named after, sorted; whether the runs were started is not looked at. */
async function namedRuns(files: LogFiles, folder: string): Promise<readonly string[]> {
  const ids: string[] = [];
  try {
    for await (const { name, isFile } of files.readDir(folder)) {
      const runId = name.slice(0, -EXTENSION.length);
      if (isFile && name.endsWith(EXTENSION) && isRunId(runId)) ids.push(runId);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && ids.length === 0) return [];
    throw storeFailure({ action: "list" }, folder, error);
  }
  return ids.sort();
}

function* scannedLines(files: LogFiles, runId: string, path: string): Generator<string> {
  const file = openIfThere(files, path, { read: true });
  if (file === null) return;
  try {
    const { size } = file.statSync();
    const scan = new LogScan(runId);
    for (let at = 0; at < size;) {
      const bytes = readFrom(file, at, Math.min(size, at + WINDOW));
      if (bytes.length === 0) break;
      at += bytes.length;
      for (const { entry } of scan.take(bytes)) yield entry.line;
    }
    for (const { entry } of scan.finish()) yield entry.line;
  } finally {
    file.close();
  }
}
