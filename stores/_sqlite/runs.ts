import {
  type LeaseOptions,
  type LogEntry,
  PolyLoopError,
  StoreFailedError,
  type StoreTask,
} from "../../types/mod.ts";
import { Leases } from "../_lease/leases.ts";
import {
  type CommitResult,
  commitWrites,
  isBarrier,
  type OpenSqlite,
  sqliteFailure,
  type SqliteWrite,
} from "./commit.ts";
import { type ConnectSqlite, isAbsent, SQLITE_IOERR, sqliteCode } from "./database.ts";
import { missingRun } from "../_log/tail.ts";
import { claim, NOBODY, remove } from "./drivers.ts";
import type { SqliteRow, SqliteTail } from "./log.ts";
import { LazyConnection } from "./lazy_connection.ts";
import { misplacedEntry } from "./rows_after.ts";

interface WaitingWrite extends SqliteWrite {
  readonly settle: (error: PolyLoopError | null) => void;
}

/** The runs in the database at a path, and the connection, which is open while one of them is driven. */
export class SqliteRuns {
  readonly #connection: LazyConnection;
  /** The runs written through this store and not yet released: the database stays open while there is one. */
  readonly #held = new Map<string, SqliteTail>();
  /** The runs of which a write failed: they must be read again. */
  readonly #refused = new Set<string>();
  /** Those of them that were given up with entries that may not have reached the disk: no release says otherwise. */
  readonly #unsure = new Set<string>();
  readonly #leases: Leases;
  #waiting: WaitingWrite[] = [];
  /** How many reads are under way that take more than one turn. */
  #readers = 0;

  /** Opens nothing yet. Tests bring connections that fail. */
  constructor(path: string, load: () => Promise<ConnectSqlite>, leases: LeaseOptions) {
    this.#connection = new LazyConnection(path, load);
    this.#leases = new Leases("sqliteStore", leases, (runIds) => this.#renew(runIds));
  }

  /**
   * Runs a body with the database, opened for it if it is not open, and says what failed. Where there is no file it
   * makes none and gives `absent`.
   */
  async use<T>(task: StoreTask, absent: T, body: (open: OpenSqlite) => T): Promise<T> {
    try {
      const connection = this.#connection;
      const connect = await connection.load();
      if (connection.isLost()) this.#abandon();
      if (connection.open === undefined && isAbsent(connection.path)) return absent;
      return body(connection.reach(connect));
    } catch (error) {
      throw error instanceof PolyLoopError ? error : this.failure(task, error);
    } finally {
      this.#closeIfIdle();
    }
  }

  async read(runId: string): Promise<readonly string[] | null> {
    const rows = await this.use<readonly SqliteRow[]>({ action: "read", runId }, [], ({ log }) => {
      const rows = log.rows(runId);
      const isHeld = log.run(runId)?.owner === this.#leases.owner &&
        rows.at(-1)?.token === this.#held.get(runId)?.token;
      if (!isHeld) this.#letGo(runId);
      return rows;
    });
    const misplaced = rows.findIndex((row, i) => row.seq !== i);
    if (misplaced !== -1) throw misplacedEntry(runId, misplaced);
    this.#refused.delete(runId);
    this.#unsure.delete(runId);
    return rows.length === 0 ? null : rows.map((row) => row.line);
  }

  /** Keeps the database open while something is read that takes more than one turn. */
  async *reading<T>(read: () => AsyncIterable<T>): AsyncGenerator<T> {
    this.#readers += 1;
    try {
      yield* read();
    } finally {
      this.#readers -= 1;
      this.#closeIfIdle();
    }
  }

  /** The ids of the runs that there are, sorted. */
  async list(unfinished: boolean, idle: boolean): Promise<readonly string[]> {
    return await this.use<readonly string[]>({ action: "list" }, [], ({ log }) => {
      const ids: string[] = [];
      for (const run of log.runs(unfinished)) {
        if (!(idle && this.#leases.isDriven(run, this.#held.has(run.runId)))) ids.push(run.runId);
      }
      return ids.sort();
    });
  }

  async claim(runId: string, head: string): Promise<void> {
    this.#checkRead(runId);
    const isThere = await this.use(notWritten(runId), false, ({ database, log }) => {
      const held = this.#held.get(runId);
      const tail = database.transact("NORMAL", () => claim(log, this.#leases, held, runId, head));
      if (tail !== null) this.#hold(runId, tail);
      return tail !== null;
    });
    if (!isThere) throw missingRun(runId, { seq: 0 });
  }

  async breakLease(runId: string): Promise<void> {
    await this.use<void>(notWritten(runId), undefined, ({ database, log }) => {
      database.transact("NORMAL", () => {
        const found = log.run(runId);
        if (found !== null) log.lease(found.run, found.owner, NOBODY);
      });
      this.#letGo(runId);
    });
  }

  /** Removes a run; whether there was one. */
  async remove(runId: string): Promise<boolean> {
    const task = { action: "delete", runId, durability: "unknown" } as const;
    return await this.use(task, false, ({ database, log }) => {
      const held = this.#held.get(runId);
      return database.transact("FULL", () => remove(log, this.#leases, held, runId));
    });
  }

  async write(kind: SqliteWrite["kind"], runId: string, entry: LogEntry): Promise<void> {
    if (kind !== "start") this.#checkRead(runId);
    const connection = this.#connection;
    const connect = connection.loaded ?? await connection.load().catch((error) => {
      throw this.failure(notWritten(runId), error);
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
    const task: StoreTask = { action: "release", runId, durability: "unknown" };
    if (this.#unsure.delete(runId)) {
      throw this.failure(task, new Error("its file failed before its last entries were synced"));
    }
    const held = this.#held.get(runId);
    if (held === undefined) return;
    const { open } = this.#connection;
    try {
      if (open?.unsynced) {
        this.#checkInPlace();
        open.database.sync();
        open.unsynced = false;
      }
      if (this.#leases.drop(runId)) this.#giveBack(held);
    } catch (error) {
      if (sqliteCode(error) === SQLITE_IOERR) this.#abandon();
      throw this.failure(task, error);
    } finally {
      this.#letGo(runId);
      this.#unsure.delete(runId);
      this.#closeIfIdle();
    }
  }

  /** Ends the lease of a run. Where that cannot be done it runs out by itself. */
  #giveBack({ run }: SqliteTail): void {
    this.#tryLease(({ log }) => void log.lease(run, this.#leases.owner, NOBODY));
  }

  /** Renews the leases of runs, and gives up those that are another driver's now. */
  #renew(runIds: readonly string[]): void {
    this.#tryLease(({ log }) => {
      for (const runId of runIds) {
        const held = this.#held.get(runId);
        const { owner } = this.#leases;
        const kept = held && log.lease(held.run, owner, this.#leases.renewed());
        if (!kept) this.#leases.rest(runId);
      }
    });
  }

  #tryLease(body: (open: OpenSqlite) => void): void {
    const { open } = this.#connection;
    if (open === undefined || this.#connection.isLost()) return;
    try {
      open.database.transact("NORMAL", () => body(open));
    } catch (error) {
      if (sqliteCode(error) === SQLITE_IOERR) this.#abandon();
    }
  }

  #checkRead(runId: string): void {
    if (!this.#refused.has(runId)) return;
    throw new StoreFailedError(notWritten(runId), "a write of it failed: read the run again first");
  }

  #hold(runId: string, tail: SqliteTail): void {
    this.#held.set(runId, tail);
    this.#refused.delete(runId);
    this.#leases.keep(runId);
  }

  #letGo(runId: string): void {
    this.#held.delete(runId);
    this.#leases.drop(runId);
  }

  #refuse(runId: string): void {
    this.#refused.add(runId);
    this.#leases.rest(runId);
  }

  /** Commits what waits in one transaction: at once where one run is driven, else what one turn brought together. */
  #commitWaiting(connect: ConnectSqlite): void {
    const writes = this.#waiting;
    this.#waiting = [];
    const { settled, broken } = this.#tryCommit(connect, writes);
    const { open } = this.#connection;
    for (const { write: { runId, kind }, fate } of settled) {
      if ("error" in fate) {
        if (fate.readFirst) this.#refuse(runId);
        continue;
      }
      this.#hold(runId, fate);
      if (kind === "finish") this.#leases.drop(runId);
      if (open !== undefined) open.unsynced = !writes.some(isBarrier);
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
      return commitWrites(this.#connection.reach(connect), this.#leases, this.#held, writes);
    } catch (error) {
      const settled = writes.map((write) => ({
        write,
        fate: { error: this.failure(notWritten(write.runId), error), readFirst: true },
      }));
      return { settled, broken: false };
    }
  }

  #checkInPlace(): void {
    if (!this.#connection.isLost()) return;
    this.#abandon();
    throw new Error("its file was deleted or replaced while runs were driven");
  }

  #closeIfIdle(): void {
    const isIdle = this.#held.size === 0 && this.#waiting.length === 0 && this.#readers === 0;
    if (isIdle) this.#connection.close();
  }

  /** Gives up a database that is not to be trusted any more: the runs driven through it must be read again. */
  #abandon(): void {
    for (const runId of this.#held.keys()) {
      if (this.#connection.open?.unsynced && !this.#refused.has(runId)) this.#unsure.add(runId);
      this.#refuse(runId);
    }
    this.#held.clear();
    this.#connection.close();
  }

  /** What SQLite said, as an error that names the path. */
  failure(task: StoreTask, cause: unknown): StoreFailedError {
    return sqliteFailure(this.#connection.path, task, cause);
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
