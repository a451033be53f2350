import type { StoredRun, StoreTask } from "../../types/mod.ts";
import { checkRunId } from "../_log/run_id.ts";
import { AHEAD_CHARS, readAhead } from "../_log/read_ahead.ts";
import { misplacedEntry, rowsAfter } from "./rows_after.ts";
import type { SqliteRuns } from "./runs.ts";

/** The lines of a run, some at a time. */
export async function* streamLines(
  runs: SqliteRuns,
  runId: string,
): AsyncGenerator<readonly string[]> {
  checkRunId(runId);
  const task: StoreTask = { action: "read", runId };
  const found = await runs.use(task, null, ({ database, log }) => {
    const run = log.run(runId);
    return run === null ? null : { previous: -run.run, database };
  });
  let previous = found?.previous;
  for (let seq = 0; previous !== undefined;) {
    const place = { previous, seq };
    const rows = await runs.use(
      task,
      null,
      ({ database, log }) => database === found?.database ? rowsAfter(log, place) : null,
    );
    if (rows === null) {
      throw runs.failure(task, new Error("its file was deleted or replaced meanwhile"));
    }
    const last = rows.at(-1);
    const isMisplaced = last !== undefined && last.seq !== seq + rows.length - 1;
    const inPlace = isMisplaced ? rows.slice(0, -1) : rows;
    if (inPlace.length > 0) yield inPlace.map(({ line }) => line);
    seq += inPlace.length;
    if (isMisplaced) throw misplacedEntry(runId, seq);
    previous = last?.id;
  }
}

/** Every run with its lines, one after the other. */
export async function* streamRuns(runs: SqliteRuns): AsyncGenerator<StoredRun> {
  const runIds = await runs.list(false, false);
  yield* readAhead(
    runIds,
    (from) => shortLogs(runs, runIds, from),
    (runId) => runs.reading(() => streamLines(runs, runId)),
  );
}

async function shortLogs(
  runs: SqliteRuns,
  runIds: readonly string[],
  from: number,
): Promise<readonly (readonly string[])[]> {
  const logs: (readonly string[])[] = [];
  await runs.use({ action: "list" }, undefined, ({ log }) => {
    let chars = 0;
    for (let at = from; at < runIds.length && chars < AHEAD_CHARS; at++) {
      const lines = log.shortLog(runIds[at] ?? "");
      if (lines === null) return;
      for (const line of lines) chars += line.length;
      logs.push(lines);
    }
  });
  return logs;
}
