import {
  PolyLoopError,
  RunLogCorruptError,
  type StoredRun,
  textsOf,
  type WholeLogLine,
} from "../../types/mod.ts";
import { checkRunId, isRunId } from "../_log/run_id.ts";
import { EXTENSION, logPlace } from "./catalog.ts";
import { type LogFiles, openIfThere, storeFailure } from "./files.ts";
import { LogScan } from "./read_log.ts";

/** How many bytes are read at a time. */
const WINDOW = 1024 * 1024;

/** The lines of a run's log, some at a time. Damage is believed when it is read twice, as in a read of all. */
export async function* streamLines(
  files: LogFiles,
  folder: string,
  runId: string,
  window: Uint8Array = new Uint8Array(WINDOW),
): AsyncGenerator<readonly string[]> {
  checkRunId(runId);
  const { path } = logPlace(folder, runId);
  let given = 0;
  for (let attempt = 1;; attempt++) {
    let read = 0;
    try {
      for (const part of scannedParts(files, runId, path, window)) {
        read += part.length;
        const isNew = part.length - Math.max(0, read - given);
        if (isNew >= part.length) continue;
        given = read;
        yield textsOf(isNew === 0 ? part : part.slice(isNew));
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
  const window = new Uint8Array(WINDOW);
  for (const runId of await namedRuns(files, folder)) {
    yield { runId, lines: streamLines(files, folder, runId, window) };
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

/** The lines of a file, as far as they are whole, some at a time; those before a fault are given before it is thrown. */
function* scannedParts(
  files: LogFiles,
  runId: string,
  path: string,
  window: Uint8Array,
): Generator<readonly WholeLogLine[]> {
  const file = openIfThere(files, path, { read: true });
  if (file === null) return;
  try {
    const { size } = file.statSync();
    const scan = new LogScan(runId);
    for (let at = 0; at < size;) {
      const read = file.readSync(window.subarray(0, Math.min(window.length, size - at)));
      if (read === null) break;
      at += read;
      yield* wholeParts((lines) => scan.take(window.subarray(0, read), lines));
    }
    yield* wholeParts((lines) => scan.finish(lines));
  } finally {
    file.close();
  }
}

function* wholeParts(
  read: (lines: WholeLogLine[]) => void,
): Generator<readonly WholeLogLine[]> {
  const part: WholeLogLine[] = [];
  try {
    read(part);
  } finally {
    if (part.length > 0) yield part;
  }
}
