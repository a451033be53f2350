import { parseLogLine, RunLogCorruptError } from "../../types/mod.ts";
import type { Lease } from "../_lease/leases.ts";
import type { LogTail } from "../_log/tail.ts";
import { CHAIN, shortLogs } from "./chain.ts";
import type { SqliteDatabase } from "./database.ts";

/** Where a run's log ends in the table of entries. */
export interface SqliteTail extends LogTail {
  /** The id of the run. */
  readonly run: number;
  /** The id of the last entry; minus the id of the run where there is none. */
  readonly last: number;
  /** The token of the last entry; empty where there is none. */
  readonly token: string;
}

/** A run's row, as far as its driver goes. */
export interface SqliteRun extends Lease {
  /** The id of the run. */
  readonly run: number;
}

/** An entry as it lies in the table. */
export interface SqliteRow {
  readonly id: number;
  readonly run: number;
  readonly seq: number;
  readonly token: string;
  readonly line: string;
}

/** The statements over the two tables. None opens a transaction; each throws what SQLite said. */
export interface SqliteLog {
  /** The entries of a run in order. */
  rows(runId: string): readonly SqliteRow[];
  /** The entry that follows one, or with minus the id of a run its first; `null` if none does. */
  rowAfter(previous: number): SqliteRow | null;
  /** The lines of a run whose log is short and without a fault; `null` for any other: it is read entry by entry. */
  shortLog(runId: string): readonly string[] | null;
  /** The end of a run's log, or `null` if there is no such run. */
  tail(runId: string): SqliteTail | null;
  /** A run's id and lease, or `null` if there is no such run. */
  run(runId: string): SqliteRun | null;
  /** Makes a run with a lease and gives its id. */
  insertRun(runId: string, lease: Lease): number;
  /** Gives a run a lease if it has this driver; whether it had. */
  lease(run: number, driver: string, lease: Lease): boolean;
  /** Adds an entry after a tail of a run that is there and gives its id, or `null` if the tail has a successor. */
  insertEntry(tail: SqliteTail, token: string, line: string): number | null;
  /** The token of the entry that follows one, or `null` if there is none. */
  tokenAfter(id: number): string | null;
  markFinished(run: number): void;
  /** The runs that are as the filter says. There may be very many: they are read as they are asked for. */
  runs(unfinished: boolean): Iterable<Lease & { readonly runId: string }>;
  /** Removes a run and its entries; whether there was one. */
  deleteRun(runId: string): boolean;
}

/** Prepares the statements. */
export function sqliteLog({ connection }: SqliteDatabase): SqliteLog {
  const rows = connection.prepare(
    `${CHAIN} SELECT entries.id, run, seq, token, line FROM chain CROSS JOIN entries USING (id)`,
  );
  const last = connection.prepare(
    `${CHAIN} SELECT id, run, seq, token, line FROM entries WHERE id = (SELECT max(id) FROM chain)`,
  );
  const rowAfter = connection.prepare(
    "SELECT id, run, seq, token, line FROM entries WHERE previous = ?",
  );
  const run = connection.prepare("SELECT id, driver, leased_until FROM runs WHERE run_id = ?");
  const insertRun = connection.prepare(
    "INSERT INTO runs (run_id, driver, leased_until) VALUES (?, ?, ?)",
  );
  const lease = connection.prepare(
    "UPDATE runs SET driver = ?, leased_until = ? WHERE id = ? AND driver = ?",
  );
  const insertEntry = connection.prepare(
    `INSERT INTO entries (previous, run, seq, token, line) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const tokenAfter = connection.prepare("SELECT token FROM entries WHERE previous = ?");
  const markFinished = connection.prepare("UPDATE runs SET finished = 1 WHERE id = ?");
  const all = connection.prepare("SELECT run_id, driver, leased_until FROM runs");
  const unfinished = connection.prepare(
    "SELECT run_id, driver, leased_until FROM runs WHERE finished = 0",
  );
  const deleteEntries = connection.prepare(
    `${CHAIN} DELETE FROM entries WHERE id IN (SELECT id FROM chain)`,
  );
  const deleteRun = connection.prepare("DELETE FROM runs WHERE run_id = ?");

  return {
    rows: (runId) => rows.all(runId).map(toRow),
    shortLog: shortLogs(connection),
    tail: (runId) => orNull(last.get(runId), (row) => tailAt(runId, toRow(row))),
    rowAfter: (previous) => orNull(rowAfter.get(previous), toRow),
    run: (runId) => orNull(run.get(runId), (row) => ({ run: Number(row.id), ...toLease(row) })),
    insertRun: (runId, { owner, until }) =>
      Number(insertRun.run(runId, owner, until).lastInsertRowid),
    lease: (run, driver, { owner, until }) =>
      Number(lease.run(owner, until, run, driver).changes) > 0,
    insertEntry({ last, run, length }, token, line) {
      const done = insertEntry.run(last, run, length, token, line);
      return Number(done.changes) === 0 ? null : Number(done.lastInsertRowid);
    },
    tokenAfter: (id) => orNull(tokenAfter.get(id), ({ token }) => String(token)),
    markFinished: (run) => void markFinished.run(run),
    *runs(onlyUnfinished) {
      for (const row of (onlyUnfinished ? unfinished : all).iterate()) {
        yield { runId: String(row.run_id), ...toLease(row) };
      }
    },
    deleteRun(runId) {
      deleteEntries.run(runId);
      return Number(deleteRun.run(runId).changes) > 0;
    },
  };
}

/** The tail of a log whose last entry is the row. */
export function tailAt(runId: string, { id, run, seq, token, line }: SqliteRow): SqliteTail {
  const parsed = parseLogLine(line);
  if (!parsed.ok) throw new RunLogCorruptError(runId, seq, "chain", parsed.reason);
  return { length: seq + 1, hash: parsed.entry.hash, run, last: id, token };
}

function orNull<T>(
  row: Readonly<Record<string, unknown>> | undefined,
  read: (row: Readonly<Record<string, unknown>>) => T,
): T | null {
  return row === undefined ? null : read(row);
}

/** The tables are STRICT: each column holds its own type alone. */
function toRow({ id, run, seq, token, line }: Readonly<Record<string, unknown>>): SqliteRow {
  return {
    id: Number(id),
    run: Number(run),
    seq: Number(seq),
    token: String(token),
    line: String(line),
  };
}

function toLease({ driver, leased_until: until }: Readonly<Record<string, unknown>>): Lease {
  return { owner: String(driver), until: Number(until) };
}
