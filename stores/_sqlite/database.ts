import { lstatSync, statSync } from "node:fs";
import { isDeno, runtimeName } from "../../types/mod.ts";
import { APPLICATION_ID, foreignTables, refuseForeignFile } from "./file_header.ts";

/** A prepared statement, as `node:sqlite` has it. */
export interface SqliteStatement {
  run(...values: (string | number)[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: (string | number)[]): Readonly<Record<string, unknown>> | undefined;
  all(...values: (string | number)[]): readonly Readonly<Record<string, unknown>>[];
  iterate(): Iterable<Readonly<Record<string, unknown>>>;
}

/** A connection, as `node:sqlite` has it. */
export interface SqliteConnection {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** Opens a connection to the database at a path. */
export type ConnectSqlite = (path: string) => SqliteConnection;

/** How a commit reaches the disk: `FULL` before it returns, `NORMAL` with the next `FULL` one. */
export type Synchronous = "FULL" | "NORMAL";

/** An open database whose journal, timeout and schema are as a store needs them. */
export interface SqliteDatabase {
  readonly connection: SqliteConnection;
  /**
   * Runs a body as one transaction that has the write lock from its beginning, and commits it. Throws what the body
   * or the commit threw, after the transaction is gone.
   */
  transact<T>(synchronous: Synchronous, body: () => T): T;
  /** Puts every earlier commit on the disk. */
  sync(): void;
  /** Whether the path still names the files that were opened. */
  isInPlace(): boolean;
  close(): void;
}

const OLDEST_SQLITE = "3.51.3";
/** How long a write waits for the write lock of another process, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000;
/** The result code that says another connection has the lock. */
export const SQLITE_BUSY = 5;
/** The result code that says the file itself could not be read, written or synced. */
export const SQLITE_IOERR = 10;

const WAL_TRIES = 100;
const USER_VERSION = 1;
const SYNCHRONOUS: Readonly<Record<Synchronous, number>> = { NORMAL: 1, FULL: 2 };

/*
 * Entries lie in the order they were written in, whatever their run, so that the writes of many runs touch the same
 * few pages. `previous` is the id of the entry before, and minus the id of the run for entry 0: an entry has one
 * successor, and the index that says so grows at its end as well. The id of an entry may come back after a removal; that
 * of a run never does, so that whoever drives a run knows by it that nothing of its log was removed. A run's lease is in
 * its row: each write of its driver finds itself named there, or is refused.
 */
const SCHEMA = `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE,
    finished INTEGER NOT NULL DEFAULT 0,
    driver TEXT NOT NULL DEFAULT '',
    leased_until INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    previous INTEGER NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    token TEXT NOT NULL,
    line TEXT NOT NULL
  ) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${USER_VERSION};`;

/** Opens a database, makes its tables where it is empty, and refuses one that is not, or cannot be, as it must be. */
export function openSqliteDatabase(path: string, connect: ConnectSqlite): SqliteDatabase {
  refuseForeignFile(path);
  const connection = connect(path);
  try {
    setPragma(connection, "busy_timeout", BUSY_TIMEOUT_MS, BUSY_TIMEOUT_MS);
    checkVersion(String(value(connection.prepare("SELECT sqlite_version()"))));
    enterWal(connection);
    prepareSchema(connection);
    if (identity(path) === null) {
      throw new Error("no file has that name now that it is open: it must be a path, not a URI");
    }
  } catch (error) {
    connection.close();
    throw error;
  }
  return database(connection, path);
}

/** Whether nothing is at a path. */
export function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** SQLite's primary result code. Absent: the error is not from SQLite. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}

function database(connection: SqliteConnection, path: string): SqliteDatabase {
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  let current: Synchronous | undefined;
  function setSynchronous(wanted: Synchronous): void {
    if (current === wanted) return;
    setPragma(connection, "synchronous", wanted, SYNCHRONOUS[wanted]);
    current = wanted;
  }
  const files = [path, `${path}-wal`].filter(mayRead);
  const identities = files.map(identity);
  return {
    connection,
    transact(synchronous, body) {
      setSynchronous(synchronous);
      return inTransaction(connection, begin, commit, body);
    },
    sync() {
      setSynchronous("FULL");
      connection.exec(`PRAGMA user_version = ${USER_VERSION}`);
    },
    isInPlace: () => files.every((file, i) => identity(file) === identities[i]),
    close: () => connection.close(),
  };
}

/** Refuses a SQLite without the fix of the fault by which a reset of the WAL could lose a commit. */
function checkVersion(version: string): void {
  if (versionNumber(version) >= versionNumber(OLDEST_SQLITE)) return;
  throw new Error(
    `${runtimeName()} has SQLite ${version} and ${OLDEST_SQLITE} is the oldest that is safe: use Deno 2.9.1 or later, or another runtime that has it`,
  );
}

/** As SQLite's own `sqlite3_libversion_number`: 3.51.3 is 3051003. */
function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch;
}

function value(statement: SqliteStatement): unknown {
  return Object.values(statement.get() ?? {})[0];
}

/** Sets a pragma and reads it back by a new statement: one that was prepared before gives the value of that time. */
function setPragma(
  connection: SqliteConnection,
  name: string,
  wanted: string | number,
  expected: string | number,
): void {
  connection.prepare(`PRAGMA ${name} = ${wanted}`).get();
  const found = value(connection.prepare(`PRAGMA ${name}`));
  if (found !== expected) {
    throw new Error(`${name} must be "${wanted}" and SQLite keeps it at "${found}"`);
  }
}

/** Enters WAL mode. SQLite does not wait for the lock there, so where another process enters as well, this does. */
function enterWal(connection: SqliteConnection): void {
  for (let tries = 1;; tries++) {
    try {
      return setPragma(connection, "journal_mode", "WAL", "wal");
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_BUSY || tries === WAL_TRIES) throw error;
    }
    connection.prepare("BEGIN IMMEDIATE").run();
    connection.exec("COMMIT");
  }
}

function prepareSchema(connection: SqliteConnection): void {
  const end = connection.prepare("END");
  const look = () => isPrepared(connection);
  if (inTransaction(connection, connection.prepare("BEGIN"), end, look)) return;
  inTransaction(connection, connection.prepare("BEGIN IMMEDIATE"), end, () => {
    if (!isPrepared(connection)) connection.exec(SCHEMA);
  });
}

function inTransaction<T>(
  connection: SqliteConnection,
  begin: SqliteStatement,
  commit: SqliteStatement,
  body: () => T,
): T {
  begin.run();
  try {
    const result = body();
    commit.run();
    return result;
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

/** Looks at the whole database: inside a transaction, so that no other process makes the tables meanwhile. */
function isPrepared(connection: SqliteConnection): boolean {
  const application = value(connection.prepare("PRAGMA application_id"));
  const version = value(connection.prepare("PRAGMA user_version"));
  if (application === APPLICATION_ID && version === USER_VERSION) {
    refuseOtherTables(connection);
    return true;
  }
  if (application === APPLICATION_ID) {
    throw new Error(
      `its tables have version ${version} and this library knows version ${USER_VERSION}: use a later one`,
    );
  }
  if (value(connection.prepare("SELECT count(*) FROM sqlite_schema")) !== 0 || version !== 0) {
    throw foreignTables();
  }
  return false;
}

/**
 * A view in the place of a table, a column that is worked out, or a trigger can do anything, and without end, when it is
 * read or written. What else somebody has put beside the tables is let be.
 */
function refuseOtherTables(connection: SqliteConnection): void {
  const found = connection.prepare(
    "SELECT sql FROM sqlite_schema WHERE name IN ('runs', 'entries') OR type = 'trigger'",
  ).all().map(({ sql }) => spaced(String(sql)));
  const own = SCHEMA.split(";").map(spaced).filter((sql) => sql.startsWith("CREATE"));
  if (found.sort().join("\n") === own.sort().join("\n")) return;
  throw new Error(
    "its tables are not those that this library makes: a version before the first release made them, or another program changed them (use another path for new runs)",
  );
}

function spaced(sql: string): string {
  return sql.replace(/\s+/g, " ").trim();
}

/** A file that Deno may not read is not looked at: that would ask the user. */
function mayRead(path: string): boolean {
  return !isDeno() || Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

function identity(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
