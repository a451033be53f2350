import {
  type Durability,
  errorInfo,
  type LogEntry,
  PolyLoopError,
  RunConflictError,
  RunExistsError,
  StoreFailedError,
  type StoreTask,
} from "../../types/mod.ts";
import type { Leases } from "../_lease/leases.ts";
import { checkNext, emptyTail, missingRun } from "../_log/tail.ts";
import {
  BUSY_TIMEOUT_MS,
  SQLITE_BUSY,
  SQLITE_IOERR,
  sqliteCode,
  type SqliteDatabase,
} from "./database.ts";
import { driven, type FoundRun, freeRun } from "./drivers.ts";
import type { SqliteLog, SqliteTail } from "./log.ts";

/** One entry that a driver wants in the log. */
export interface SqliteWrite {
  readonly runId: string;
  readonly kind: "start" | "intent" | "outcome" | "finish";
  readonly entry: LogEntry;
  /** Random, and written beside the entry: by it a store knows its own write again. */
  readonly token: string;
}

/** An open database with its statements. */
export interface OpenSqlite {
  readonly path: string;
  readonly database: SqliteDatabase;
  readonly log: SqliteLog;
}

/** What became of a write: the run's new tail, or why the entry is not, or perhaps not, in the log. */
export type Fate = SqliteTail | Refusal;

/** Why an entry is not, or perhaps not, in the log. */
export interface Refusal {
  readonly error: PolyLoopError;
  /** Whether the run must be read before it is written to again. */
  readonly readFirst: boolean;
}

/** What became of writes that shared a transaction. */
export interface CommitResult<W extends SqliteWrite> {
  /** Each write and what became of it. */
  readonly settled: readonly { readonly write: W; readonly fate: Fate }[];
  /** Whether a write or a sync of the file itself failed, so that the connection is not to be trusted any more. */
  readonly broken: boolean;
}

interface Placed {
  readonly before: SqliteTail;
  readonly after: SqliteTail;
}

/**
 * Commits writes in one transaction, which is a barrier if one of them is. Each is put after the tail that `held`
 * knows, or else the table has; one that may not be there leaves the others alone.
 */
export function commitWrites<W extends SqliteWrite>(
  open: OpenSqlite,
  leases: Leases,
  held: ReadonlyMap<string, SqliteTail>,
  writes: readonly W[],
): CommitResult<W> {
  const placed: { readonly write: W; readonly place: Placed | Refusal }[] = [];
  try {
    open.database.transact(writes.some(isBarrier) ? "FULL" : "NORMAL", () => {
      const tails = new Map(held);
      for (const write of writes) {
        const place = tryPlace(open.log, leases, tails.get(write.runId), write);
        if ("after" in place) tails.set(write.runId, place.after);
        placed.push({ write, place });
      }
    });
  } catch (error) {
    const broken = sqliteCode(error) === SQLITE_IOERR;
    const settled = writes.map((write, i) => ({
      write,
      fate: broken
        ? failure(open.path, write.runId, "unknown", error)
        : fateAfterFailure(open, write, placed[i]?.place, error),
    }));
    return { settled, broken };
  }
  const settled = placed.map(({ write, place }) => ({
    write,
    fate: "after" in place ? place.after : place,
  }));
  return { settled, broken: false };
}

/** Whether a write must have reached the disk when it is acknowledged. */
export function isBarrier({ kind }: SqliteWrite): boolean {
  return kind !== "outcome";
}

/** What SQLite said, as an error that names run and path. */
export function sqliteFailure(
  path: string,
  task: StoreTask,
  cause: unknown,
): StoreFailedError {
  const said = sqliteCode(cause) === SQLITE_BUSY
    ? `another process has kept its write lock for ${BUSY_TIMEOUT_MS} ms`
    : errorInfo(cause).message;
  return new StoreFailedError(task, `the database "${path}" cannot be used: ${said}`, { cause });
}

function failure(path: string, runId: string, durability: Durability, cause: unknown): Refusal {
  const error = sqliteFailure(path, { action: "write", runId, durability }, cause);
  return { error, readFirst: true };
}

function tryPlace(
  log: SqliteLog,
  leases: Leases,
  held: SqliteTail | undefined,
  write: SqliteWrite,
): Placed | Refusal {
  try {
    return place(log, leases, held, write);
  } catch (error) {
    if (!(error instanceof PolyLoopError)) throw error;
    return { error, readFirst: held === undefined && write.kind !== "start" };
  }
}

function place(
  log: SqliteLog,
  leases: Leases,
  held: SqliteTail | undefined,
  write: SqliteWrite,
): Placed | Refusal {
  const { runId, kind, entry, token } = write;
  const found = kind === "start"
    ? newRun(log, leases, runId, entry)
    : driven(leases, held) ?? freeRun(log, leases, runId);
  if (found === null) throw missingRun(runId, entry);
  const { tail: before, driver } = found;
  checkNext(runId, before, entry);
  if (entry.line.includes("\0")) {
    throw new StoreFailedError(
      { action: "write", runId, durability: "none" },
      "a text in SQLite cannot carry a NUL unescaped",
    );
  }
  const lease = leases.renewed();
  const kept = log.lease(before.run, driver, kind === "finish" ? { ...lease, until: 0 } : lease);
  const last = kept ? log.insertEntry(before, token, entry.line) : null;
  if (last === null) {
    const detail = "another driver has written to the run, taken it over, or removed it";
    return { error: new RunConflictError(runId, entry.seq, detail), readFirst: true };
  }
  if (kind === "finish") log.markFinished(before.run);
  return {
    before,
    after: { length: entry.seq + 1, hash: entry.hash, run: before.run, last, token },
  };
}

function newRun(log: SqliteLog, leases: Leases, runId: string, entry: LogEntry): FoundRun {
  if (log.run(runId) !== null) throw new RunExistsError(runId);
  const empty = emptyTail(runId);
  checkNext(runId, empty, entry);
  const run = log.insertRun(runId, leases.renewed());
  return { tail: { ...empty, run, last: -run, token: "" }, driver: leases.owner };
}

/** Finds out whether a commit that threw took effect: only the token can tell. */
function fateAfterFailure(
  { path, database, log }: OpenSqlite,
  write: SqliteWrite,
  placed: Placed | Refusal | undefined,
  error: unknown,
): Fate {
  if (placed === undefined) return failure(path, write.runId, "none", error);
  if (!("after" in placed)) return placed;
  try {
    if (log.tokenAfter(placed.before.last) !== write.token) {
      return failure(path, write.runId, "none", error);
    }
    if (isBarrier(write)) database.sync();
    return placed.after;
  } catch {
    return failure(path, write.runId, "unknown", error);
  }
}
