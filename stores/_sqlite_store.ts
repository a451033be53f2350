import type { RunStore } from "../ports/mod.ts";
import {
  compareCodePoints,
  type LogEntry,
  PolyLoopError,
  type RunCatalog,
  RunLogCorruptError,
  StoreFailedError,
} from "../types/mod.ts";
import { checkRunId } from "./_fence.ts";
import {
  type CommitResult,
  commitWrites,
  isBarrier,
  type OpenSqlite,
  sqliteFailure,
  type SqliteWrite,
} from "./_sqlite_commit.ts";
import { type ConnectSqlite, openSqliteDatabase } from "./_sqlite_database.ts";
import { sqliteLog, type SqliteTail, tailAt } from "./_sqlite_log.ts";

interface WaitingWrite extends SqliteWrite {
  readonly settle: (error: PolyLoopError | null) => void;
}

/** The store over a database that is opened by what `load` gives. Tests bring connections that fail. */
export function openSqliteStore(
  path: string,
  load: () => Promise<ConnectSqlite>,
): RunStore & RunCatalog {
  let connect: ConnectSqlite | undefined;
  let open: OpenSqlite | undefined;
  let waiting: WaitingWrite[] = [];
  /** Whether an outcome was committed after the last barrier. */
  let unsynced = false;
  /** The runs written through this store and not yet released: the database stays open while there is one. */
  const held = new Map<string, SqliteTail>();
  /** The runs of which a write failed: they must be read again. */
  const refused = new Set<string>();

  async function use<T>(runId: string, body: (open: OpenSqlite) => T): Promise<T> {
    try {
      connect ??= await load();
      if (open?.database.isInPlace() === false) abandon();
      return body(reach(connect));
    } catch (error) {
      throw error instanceof PolyLoopError ? error : sqliteFailure(path, runId, "none", error);
    } finally {
      closeIfIdle();
    }
  }

  function reach(connect: ConnectSqlite): OpenSqlite {
    if (open === undefined) {
      const database = openSqliteDatabase(path, connect);
      open = { path, database, log: sqliteLog(database) };
    }
    return open;
  }

  function reachInPlace(connect: ConnectSqlite): OpenSqlite {
    if (open?.database.isInPlace() === false) {
      abandon();
      throw new Error("its file was deleted or replaced while runs were driven");
    }
    return reach(connect);
  }

  function closeIfIdle(): void {
    if (held.size === 0 && waiting.length === 0) letGo();
  }

  /** Gives up a database that is not to be trusted any more: the runs driven through it must be read again. */
  function abandon(): void {
    for (const runId of held.keys()) refused.add(runId);
    held.clear();
    unsynced = false;
    letGo();
  }

  function letGo(): void {
    const database = open?.database;
    open = undefined;
    database?.close();
  }

  async function write(
    kind: SqliteWrite["kind"],
    runId: string,
    entry: LogEntry,
  ): Promise<void> {
    checkRunId(runId);
    if (refused.has(runId) && kind !== "start") {
      throw new StoreFailedError(runId, "none", "a write of it failed: read the run again first");
    }
    connect ??= await load().catch((error) => {
      throw sqliteFailure(path, runId, "none", error);
    });
    const token = crypto.randomUUID();
    const error = await new Promise<PolyLoopError | null>((settle) => {
      waiting.push({ kind, runId, entry, token, settle });
      if (waiting.length > 1) return;
      const alone = held.size === (held.has(runId) ? 1 : 0);
      if (alone) commitWaiting();
      else nextTurn(commitWaiting);
    });
    if (error !== null) throw error;
  }

  /** Commits what waits in one transaction: at once where one run is driven, else what one turn brought together. */
  function commitWaiting(): void {
    const writes = waiting;
    waiting = [];
    const { fates, broken } = tryCommit(writes);
    for (const [i, { runId }] of writes.entries()) {
      const fate = fates[i]!;
      if ("error" in fate) {
        if (fate.readFirst) refused.add(runId);
        continue;
      }
      held.set(runId, fate);
      refused.delete(runId);
      unsynced = !writes.some(isBarrier);
    }
    if (broken) abandon();
    closeIfIdle();
    for (const [i, { settle }] of writes.entries()) {
      const fate = fates[i]!;
      settle("error" in fate ? fate.error : null);
    }
  }

  function tryCommit(writes: readonly SqliteWrite[]): CommitResult {
    try {
      return commitWrites(reachInPlace(connect!), held, writes);
    } catch (error) {
      const fates = writes.map(({ runId }) => ({
        error: sqliteFailure(path, runId, "none", error),
        readFirst: true,
      }));
      return { fates, broken: false };
    }
  }
  return {
    async readRun(runId) {
      checkRunId(runId);
      const rows = await use(runId, ({ log }) => {
        const rows = log.rows(runId);
        const last = rows.at(-1);
        if (last === undefined) held.delete(runId);
        else if (held.has(runId) && held.get(runId)!.token !== last.token) {
          held.set(runId, tailAt(runId, last));
        }
        return rows;
      });
      const misplaced = rows.findIndex((row, i) => row.seq !== i);
      if (misplaced !== -1) {
        throw new RunLogCorruptError(runId, misplaced, "the table has another entry in its place");
      }
      refused.delete(runId);
      return rows.length === 0 ? null : rows.map((row) => row.line);
    },
    startRun: (runId, entry) => write("start", runId, entry),
    writeIntent: (runId, entry) => write("intent", runId, entry),
    writeOutcome: (runId, entry) => write("outcome", runId, entry),
    finishRun: (runId, entry) => write("finish", runId, entry),
    // deno-lint-ignore require-await -- what it throws must reject
    async releaseRun(runId) {
      if (!held.has(runId)) return;
      try {
        if (unsynced) reachInPlace(connect!).database.sync();
        unsynced = false;
      } catch (error) {
        abandon();
        throw sqliteFailure(path, runId, "unknown", error);
      } finally {
        held.delete(runId);
        closeIfIdle();
      }
    },
    parameters: () => ({}),
    listRuns: ({ unfinished = false } = {}) =>
      use("", ({ log }) => log.runIds(unfinished).toSorted(compareCodePoints)),
    async deleteRun(runId) {
      checkRunId(runId);
      return await use(runId, ({ database, log }) => {
        let deleted = false;
        database.transact("FULL", () => void (deleted = log.deleteRun(runId)));
        return deleted;
      });
    },
  };
}

/** Calls back when everything that is ready to run has run. `setTimeout` would wait for a millisecond or two. */
function nextTurn(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    port2.close();
    callback();
  };
  port2.postMessage(null);
}
