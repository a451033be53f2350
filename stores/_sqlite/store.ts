import type { RunStore } from "../../ports/mod.ts";
import type { LogEntry, RunCatalog } from "../../types/mod.ts";
import { checkRunId } from "../_log/run_id.ts";
import type { ConnectSqlite } from "./database.ts";
import { SqliteRuns } from "./runs.ts";

/** The store over a database that is opened by what `load` gives. */
export function openSqliteStore(
  path: string,
  load: () => Promise<ConnectSqlite>,
): RunStore & RunCatalog {
  const runs = new SqliteRuns(path, load);
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
    // deno-lint-ignore require-await -- what it throws must reject
    async releaseRun(runId) {
      runs.release(runId);
    },
    parameters: () => ({}),
    listRuns: ({ unfinished = false } = {}) => runs.list(unfinished),
    readLines: (runId) => runs.lines(runId),
    readRuns: () => runs.runs(),
    async deleteRun(runId) {
      checkRunId(runId);
      return await runs.use(
        { action: "delete", runId, durability: "unknown" },
        false,
        ({ database, log }) => database.transact("FULL", () => log.deleteRun(runId)),
      );
    },
  };
}
