import type { StoredRun } from "../../types/mod.ts";
import { readAhead } from "../_log/read_ahead.ts";
import { checkRunId } from "../_log/run_id.ts";
import { asStoreError } from "./attempt.ts";
import type { KvDatabase } from "./database.ts";
import { streamLines } from "./log.ts";
import { shortLogs } from "./short_logs.ts";

/** The lines of a run, some at a time, with what fails as an error of the store. */
export async function* streamRun(
  kv: KvDatabase,
  runId: string,
): AsyncGenerator<readonly string[]> {
  checkRunId(runId);
  try {
    yield* streamLines(kv, runId);
  } catch (error) {
    throw asStoreError({ action: "read", runId }, error);
  }
}

/** The runs of a list with their lines, one after the other. */
export async function* streamRuns(
  kv: KvDatabase,
  list: () => Promise<readonly string[]>,
): AsyncGenerator<StoredRun> {
  const runIds = await list();
  yield* readAhead(
    runIds,
    shortLogs(kv, runIds),
    (runId) => streamRun(kv, runId),
  );
}
