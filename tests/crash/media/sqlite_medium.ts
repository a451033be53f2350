import { DatabaseSync } from "node:sqlite";
import type { SqliteConnection, SqliteStatement } from "../../../stores/_sqlite/database.ts";
import { leaseClock } from "../../stores/drivers/lease_clock.ts";
import { type InnerPoints, LONG_MS, type Medium, type Snapshot, type Survivor } from "./medium.ts";

type Row = Readonly<Record<string, string | number>>;

/** All that is committed. */
interface Tables {
  readonly schema: readonly string[];
  readonly applicationId: number;
  readonly userVersion: number;
  readonly runs: readonly Row[];
  readonly entries: readonly Row[];
}

/** A database whose commits count, and which of them are on the disk. */
interface Commits {
  readonly real: DatabaseSync;
  /** What was committed since the last commit that is on the disk, that one first. */
  tables: Tables[];
  changed(): void;
}

/** An empty file, since the store makes sure that one is there: the database itself is in memory. */
const PATH = decodeURI(new URL("stand_in.db", import.meta.url).pathname);
const NO_TABLES: Tables = { schema: [], applicationId: 0, userVersion: 0, runs: [], entries: [] };

/**
 * The SQLite store over the real SQLite in memory: what a commit does is SQLite's, what a crash leaves of the commits
 * is modelled. One that was made with `synchronous=FULL` is on the disk with all before it; of those after it the
 * process's death leaves all, a power loss any number of the first.
 */
export function sqliteMedium(held: Tables = NO_TABLES, start = 0): Medium {
  const real = load(held);
  const clock = leaseClock(start);
  let snapshot: Snapshot | undefined;
  const commits: Commits = { real, tables: [held], changed: () => snapshot = undefined };
  return {
    clock,
    open: (subject, points) =>
      subject.openSqliteStore(
        PATH,
        () => Promise.resolve(() => connection(commits, points)),
        clock,
      ),
    snapshot: () => snapshot ??= snapshotOf(commits.tables, clock.now() + LONG_MS),
    dispose: () => real.close(),
  };
}

function snapshotOf(tables: readonly Tables[], later: number): Snapshot {
  const survivors = tables.map((left) => survivor(left, true, later));
  survivors.push(survivor(tables.at(-1)!, false, later));
  return { survivors: () => survivors, images: () => [] };
}

function survivor(tables: Tables, power: boolean, later: number): Survivor {
  const runs = tables.runs.map(({ finished }) => finished).join();
  const entries = tables.entries.map(({ line }) => String(line).slice(-22)).join();
  return {
    key: `${tables.schema.length} ${runs} ${entries}`,
    power,
    settled: true,
    size: undefined,
    restore: () => sqliteMedium(tables, later),
  };
}

function load({ schema, applicationId, userVersion, runs, entries }: Tables): DatabaseSync {
  const real = new DatabaseSync(":memory:");
  for (const sql of schema) real.exec(sql);
  real.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${userVersion}`);
  for (const [table, rows] of Object.entries({ runs, entries })) {
    for (const row of rows) {
      const names = Object.keys(row);
      const places = names.map(() => "?").join();
      real.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${places})`)
        .run(...Object.values(row));
    }
  }
  return real;
}

function read(real: DatabaseSync): Tables {
  const all = (sql: string) => real.prepare(sql).all() as Row[];
  const number = (name: string) => Number(Object.values(real.prepare(`PRAGMA ${name}`).get()!)[0]);
  const schema = all("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").map((
    { sql },
  ) => String(sql));
  return {
    schema,
    applicationId: number("application_id"),
    userVersion: number("user_version"),
    runs: schema.length === 0 ? [] : all("SELECT * FROM runs"),
    entries: schema.length === 0 ? [] : all("SELECT * FROM entries"),
  };
}

function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode });
}

const FAULTS: Readonly<Record<string, readonly [message: string, errcode: number]>> = {
  busy: ["database is locked", 5],
  full: ["database or disk is full", 13],
  io: ["disk I/O error", 10],
  committed: ["disk I/O error", 10],
  read: ["disk I/O error", 10],
};

function fail(fault: string): never {
  throw sqliteError(...FAULTS[fault]!);
}

function connection(commits: Commits, points: InnerPoints): SqliteConnection {
  const { real } = commits;
  let full = true;
  function commit(kind: string, body: () => void): void {
    points.inner(kind, (fault) => {
      if (fault !== undefined && fault !== "committed") fail(fault);
      body();
      const tables = read(real);
      commits.tables = full && fault === undefined ? [tables] : [...commits.tables, tables];
      commits.changed();
      if (fault !== undefined) fail(fault);
    });
  }
  return {
    get isTransaction() {
      return real.isTransaction;
    },
    exec(sql) {
      if (sql.startsWith("PRAGMA user_version")) commit("sql-sync", () => real.exec(sql));
      else real.exec(sql);
    },
    prepare(sql) {
      if (sql.startsWith("PRAGMA journal_mode")) return answering({ journal_mode: "wal" });
      const mode = /^PRAGMA synchronous = (\w+)/.exec(sql)?.[1];
      if (mode !== undefined) full = mode === "FULL";
      const statement = real.prepare(sql);
      if (sql === "COMMIT" || (sql === "END" && commits.tables.at(-1)!.schema.length === 0)) {
        const kind = sql === "END" ? "sql-schema" : "sql-commit";
        const run = () => commit(kind, () => void statement.run());
        return { ...answering({}), run: () => (run(), { changes: 0, lastInsertRowid: 0 }) };
      }
      return watched(statement, sql, points);
    },
    close() {},
  };
}

function watched(
  statement: ReturnType<DatabaseSync["prepare"]>,
  sql: string,
  points: InnerPoints,
): SqliteStatement {
  const kind = sql === "BEGIN IMMEDIATE" ? "sql-begin" : "sql-statement";
  const look = <T>(body: () => T): T =>
    points.look(kind, (fault) => fault === undefined ? body() : fail(fault));
  return {
    run: (...values) => look(() => statement.run(...values)),
    get: (...values) => look(() => statement.get(...values) as Row | undefined),
    all: (...values) => look(() => statement.all(...values) as Row[]),
    iterate: () => look(() => statement.all() as Row[]),
  };
}

function answering(row: Row): SqliteStatement {
  return {
    run: () => ({ changes: 0, lastInsertRowid: 0 }),
    get: () => row,
    all: () => [row],
    iterate: () => [row],
  };
}
