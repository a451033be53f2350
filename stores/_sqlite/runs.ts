import {
  type LogEntry,
  PolyLoopError,
  type StoredRun,
  StoreFailedError,
  type StoreTask,
} from "../../types/mod.ts";
import { checkRunId } from "../_log/run_id.ts";
import {
  type CommitResult,
  commitWrites,
  isBarrier,
  type OpenSqlite,
  sqliteFailure,
  type SqliteWrite,
} from "./commit.ts";
import {
  type ConnectSqlite,
  isAbsent,
  openSqliteDatabase,
  SQLITE_IOERR,
  sqliteCode,
} from "./database.ts";
import { sqliteLog, type SqliteRow, type SqliteTail, tailAt } from "./log.ts";
import { misplacedEntry, rowsAfter } from "./rows_after.ts";

interface WaitingWrite extends SqliteWrite {
  readonly settle: (error: PolyLoopError | null) => void;
}

/** The connection that runs share. */
interface SharedSqlite extends OpenSqlite {
  /** Whether an outcome was committed after the last barrier. */
  unsynced: boolean;
}

/** The runs in the database at a path, and the connection, which is open while one of them is driven. */
export class SqliteRuns {
  readonly #path: string;
  readonly #load: () => Promise<ConnectSqlite>;
  /** The runs written through this store and not yet released: the database stays open while there is one. */
  readonly #held = new Map<string, SqliteTail>();
  /** The runs of which a write failed: they must be read again. */
  readonly #refused = new Set<string>();
  #connect: ConnectSqlite | undefined;
  #open: SharedSqlite | undefined;
  #waiting: WaitingWrite[] = [];
  /** How many reads are under way that take more than one turn. */
  #readers = 0;

  /** Opens nothing yet; `load` finds the SQLite to open it with. Tests bring connections that fail. */
  constructor(path: string, load: () => Promise<ConnectSqlite>) {
    this.#path = path;
    this.#load = load;
  }

  /**
   * Runs a body with the database, opened for it if it is not open, and says what failed. Where there is no file it
   * makes none and gives `absent`.
   */
  async use<T>(task: StoreTask, absent: T, body: (open: OpenSqlite) => T): Promise<T> {
    try {
      const connect = this.#connect ??= await this.#load();
      if (this.#isLost()) this.#abandon();
      if (this.#open === undefined && isAbsent(this.#path)) return absent;
      return body(this.#reach(connect));
    } catch (error) {
      throw error instanceof PolyLoopError ? error : this.#failure(task, error);
    } finally {
      this.#closeIfIdle();
    }
  }

  async read(runId: string): Promise<readonly string[] | null> {
    const rows = await this.use<readonly SqliteRow[]>({ action: "read", runId }, [], ({ log }) => {
      const rows = log.rows(runId);
      const last = rows.at(-1);
      const held = this.#held.get(runId);
      if (held !== undefined && last !== undefined && held.token !== last.token) {
        this.#held.set(runId, tailAt(runId, last));
      }
      return rows;
    });
    const misplaced = rows.findIndex((row, i) => row.seq !== i);
    if (misplaced !== -1) throw misplacedEntry(runId, misplaced);
    this.#refused.delete(runId);
    return rows.length === 0 ? null : rows.map((row) => row.line);
  }

  /** The lines of a run, some at a time. The database stays open while they are read. */
  async *lines(runId: string): AsyncGenerator<readonly string[]> {
    checkRunId(runId);
    this.#readers += 1;
    try {
      const task = { action: "read", runId } as const;
      const run = await this.use(task, null, ({ database, log }) => {
        const root = log.root(runId);
        return root === null ? null : { root, database };
      });
      let previous = run?.root;
      for (let seq = 0; previous !== undefined;) {
        const place = { previous, seq };
        const rows = await this.use(
          task,
          null,
          ({ database, log }) => database === run?.database ? rowsAfter(log, place) : null,
        );
        if (rows === null) {
          throw this.#failure(task, new Error("its file was deleted or replaced meanwhile"));
        }
        const last = rows.at(-1);
        const isMisplaced = last !== undefined && last.seq !== seq + rows.length - 1;
        const inPlace = isMisplaced ? rows.slice(0, -1) : rows;
        if (inPlace.length > 0) yield inPlace.map(({ line }) => line);
        seq += inPlace.length;
        if (isMisplaced) throw misplacedEntry(runId, seq);
        previous = last?.id;
      }
    } finally {
      this.#readers -= 1;
      this.#closeIfIdle();
    }
  }

  async *runs(): AsyncGenerator<StoredRun> {
    this.#readers += 1;
    try {
      for (const runId of await this.list(false)) yield { runId, lines: this.lines(runId) };
    } finally {
      this.#readers -= 1;
      this.#closeIfIdle();
    }
  }

  list(unfinished: boolean): Promise<readonly string[]> {
    return this.use<readonly string[]>(
      { action: "list" },
      [],
      ({ log }) => log.runIds(unfinished).toSorted(),
    );
  }

  async write(kind: SqliteWrite["kind"], runId: string, entry: LogEntry): Promise<void> {
    if (this.#refused.has(runId) && kind !== "start") {
      throw new StoreFailedError(
        notWritten(runId),
        "a write of it failed: read the run again first",
      );
    }
    const connect = this.#connect ??= await this.#load().catch((error) => {
      throw this.#failure(notWritten(runId), error);
    });
    const token = crypto.randomUUID();
    const error = await new Promise<PolyLoopError | null>((settle) => {
      this.#waiting.push({ kind, runId, entry, token, settle });
      if (this.#waiting.length > 1) return;
      const alone = this.#held.size === (this.#held.has(runId) ? 1 : 0);
      if (alone) this.#commitWaiting(connect);
      else nextTurn(() => this.#commitWaiting(connect));
    });
    if (error !== null) throw error;
  }

  release(runId: string): void {
    if (!this.#held.has(runId)) return;
    const open = this.#open;
    try {
      if (open?.unsynced) {
        this.#checkInPlace();
        open.database.sync();
        open.unsynced = false;
      }
    } catch (error) {
      if (sqliteCode(error) === SQLITE_IOERR) this.#abandon();
      throw this.#failure({ action: "release", runId, durability: "unknown" }, error);
    } finally {
      this.#held.delete(runId);
      this.#closeIfIdle();
    }
  }

  /** Commits what waits in one transaction: at once where one run is driven, else what one turn brought together. */
  #commitWaiting(connect: ConnectSqlite): void {
    const writes = this.#waiting;
    this.#waiting = [];
    const { settled, broken } = this.#tryCommit(connect, writes);
    for (const { write: { runId }, fate } of settled) {
      if ("error" in fate) {
        if (fate.readFirst) this.#refused.add(runId);
        continue;
      }
      this.#held.set(runId, fate);
      this.#refused.delete(runId);
      if (this.#open !== undefined) this.#open.unsynced = !writes.some(isBarrier);
    }
    if (broken) this.#abandon();
    this.#closeIfIdle();
    for (const { write, fate } of settled) write.settle("error" in fate ? fate.error : null);
  }

  #tryCommit(
    connect: ConnectSqlite,
    writes: readonly WaitingWrite[],
  ): CommitResult<WaitingWrite> {
    try {
      this.#checkInPlace();
      return commitWrites(this.#reach(connect), this.#held, writes);
    } catch (error) {
      const settled = writes.map((write) => ({
        write,
        fate: { error: this.#failure(notWritten(write.runId), error), readFirst: true },
      }));
      return { settled, broken: false };
    }
  }

  #checkInPlace(): void {
    if (!this.#isLost()) return;
    this.#abandon();
    throw new Error("its file was deleted or replaced while runs were driven");
  }

  #reach(connect: ConnectSqlite): OpenSqlite {
    if (this.#open === undefined) {
      const database = openSqliteDatabase(this.#path, connect);
      try {
        this.#open = { path: this.#path, database, log: sqliteLog(database), unsynced: false };
      } catch (error) {
        database.close();
        throw error;
      }
    }
    return this.#open;
  }

  #isLost(): boolean {
    return this.#open?.database.isInPlace() === false;
  }

  #closeIfIdle(): void {
    if (this.#held.size === 0 && this.#waiting.length === 0 && this.#readers === 0) this.#close();
  }

  /** Gives up a database that is not to be trusted any more: the runs driven through it must be read again. */
  #abandon(): void {
    for (const runId of this.#held.keys()) this.#refused.add(runId);
    this.#held.clear();
    this.#close();
  }

  #close(): void {
    const database = this.#open?.database;
    this.#open = undefined;
    try {
      database?.close();
    } catch {
      // What was acknowledged is in the database, and what was not was reported.
    }
  }

  #failure(task: StoreTask, cause: unknown): StoreFailedError {
    return sqliteFailure(this.#path, task, cause);
  }
}

/** A write that has not reached the database. */
function notWritten(runId: string): StoreTask {
  return { action: "write", runId, durability: "none" };
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
