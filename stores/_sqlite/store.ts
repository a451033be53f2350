import type { RunStore } from "../../ports/mod.ts";
import type { LeaseOptions, LogEntry, RunCatalog } from "../../types/mod.ts";
import { checkRunId } from "../_log/run_id.ts";
import type { ConnectSqlite } from "./database.ts";
import { SqliteRuns } from "./runs.ts";
import { streamLines, streamRuns } from "./stream_runs.ts";

/** The store over a database that is opened by what `load` gives. */
export function openSqliteStore(
  path: string,
  load: () => Promise<ConnectSqlite>,
  leases: LeaseOptions = {},
): RunStore & RunCatalog {
  const runs = new SqliteRuns(path, load, leases);
  async function write(
    kind: "start" | "intent" | "outcome" | "finish",
    runId: string,
    entry: LogEntry,
  ): Promise<void> {
    checkRunId(runId);
    await runs.write(kind, runId, entry);
  }
  return {
    async readRun(runId) {
      checkRunId(runId);
      return await runs.read(runId);
    },
    startRun: (runId, entry) => write("start", runId, entry),
    writeIntent: (runId, entry) => write("intent", runId, entry),
    writeOutcome: (runId, entry) => write("outcome", runId, entry),
    finishRun: (runId, entry) => write("finish", runId, entry),
    async claimRun(runId, head) {
      checkRunId(runId);
      await runs.claim(runId, head);
    },
    async breakLease(runId) {
      checkRunId(runId);
      await runs.breakLease(runId);
    },
    // deno-lint-ignore require-await -- what it throws must reject
    async releaseRun(runId) {
      runs.release(runId);
    },
    parameters: () => ({}),
    listRuns: ({ unfinished = false, idle = false } = {}) => runs.list(unfinished, idle),
    readLines: (runId) => runs.reading(() => streamLines(runs, runId)),
    readRuns: () => runs.reading(() => streamRuns(runs)),
    async deleteRun(runId) {
      checkRunId(runId);
      return await runs.remove(runId);
    },
  };
}
