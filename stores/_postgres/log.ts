import { parseLogLine, RunLogCorruptError } from "../../types/mod.ts";
import type { LogTail } from "../_log/tail.ts";
import type { PostgresRow, RunStatement } from "./client.ts";
import type { FoundEntry } from "./commit.ts";
import type { EntryKind, Fence, PostgresStatements } from "./statements.ts";

/** Where a run's log ends in the database. */
export interface PostgresTail extends LogTail {
  /** The id of the run's row. */
  readonly run: string;
  /** The token of the last entry. */
  readonly token: string;
}

/** Who has a run. */
export interface PostgresDriver {
  readonly driver: string;
  /** How long its lease lasts, in milliseconds, by the server's clock. */
  readonly leftMs: number;
}

/** A run's row. */
export interface PostgresRun extends PostgresDriver {
  readonly run: string;
}

/** A run by its id. */
export interface ListedRun extends PostgresDriver {
  readonly runId: string;
}

/** Where a run's log ends, and who has it. */
export interface FoundPostgresRun extends PostgresDriver {
  readonly tail: PostgresTail;
}

/** The lease that a write or a claim gives to its run. */
export interface GivenLease {
  readonly owner: string;
  readonly ms: number;
}

/** A whole log, with what its run's row says. */
export interface WholeLog {
  readonly run: string;
  readonly driver: string;
  readonly lines: readonly string[];
}

/** The statements, run by a client, with rows as values. Each call is one round trip and throws what the client did. */
export class PostgresLog {
  readonly #run: RunStatement;
  readonly #sql: PostgresStatements;

  constructor(run: RunStatement, sql: PostgresStatements) {
    this.#run = run;
    this.#sql = sql;
  }

  /** Starts a run; gives the id of its row, or `null` if there is one of that id. */
  async start(
    runId: string,
    token: string,
    line: string,
    { owner, ms }: GivenLease,
  ): Promise<string | null> {
    return runOf(await this.#run(this.#sql.start, [runId, token, line, owner, ms]));
  }

  /** Writes an entry after a tail; gives the id of the run's row, or `null` if the row is not as the fence says. */
  async append(
    { tail, fence }: { readonly tail: PostgresTail; readonly fence: Fence },
    lease: GivenLease,
    entry: {
      readonly kind: EntryKind;
      readonly seq: number;
      readonly token: string;
      readonly line: string;
    },
  ): Promise<string | null> {
    const { kind, seq, token, line } = entry;
    const sql = this.#sql.append(fence, kind);
    const values = [tail.run, tail.token, lease.owner, lease.ms, seq, token, line];
    return runOf(await this.#run(sql, values));
  }

  /** Gives a run a lease; whether its row is as the fence says. */
  async claim(
    { tail, fence }: { readonly tail: PostgresTail; readonly fence: Fence },
    { owner, ms }: GivenLease,
  ): Promise<boolean> {
    const rows = await this.#run(this.#sql.claim(fence), [tail.run, tail.token, owner, ms]);
    return rows.length > 0;
  }

  /** The entry in a place, or `null`. */
  async entry(runId: string, seq: number): Promise<FoundEntry | null> {
    const [row] = await this.#run(this.#sql.entry, [runId, seq]);
    return row === undefined ? null : { run: textIn(row, "run"), token: textIn(row, "token") };
  }

  /** A run, or `null` if there is none of that id. */
  async find(runId: string): Promise<FoundPostgresRun | null> {
    const [row] = await this.#run(this.#sql.last, [runId]);
    if (row === undefined) return null;
    const seq = row.seq === null ? -1 : numberIn(row, "seq");
    checkTail(runId, seq + 1, row, row.token);
    const parsed = parseLogLine(textIn(row, "line"));
    if (!parsed.ok) throw new RunLogCorruptError(runId, seq, "chain", parsed.reason);
    const { hash } = parsed.entry;
    const tail = { length: seq + 1, hash, run: textIn(row, "run"), token: textIn(row, "token") };
    return { tail, ...driverIn(row) };
  }

  /** The row of a run, or `null` if there is none of that id. */
  async row(runId: string): Promise<PostgresRun | null> {
    const [row] = await this.#run(this.#sql.run, [runId]);
    return row === undefined ? null : { run: textIn(row, "run"), ...driverIn(row) };
  }

  /** Renews leases; gives the rows of the runs that still have that owner. */
  async renew({ owner, ms }: GivenLease, runs: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#run(this.#sql.renew, [owner, ms, runs.join(",")]);
    return new Set(rows.map((row) => textIn(row, "run")));
  }

  /** Ends a lease; whether the run still had that owner and that tail. */
  async release({ run, token }: PostgresTail, owner: string): Promise<boolean> {
    return (await this.#run(this.#sql.release, [run, token, owner])).length > 0;
  }

  async breakLease(runId: string): Promise<void> {
    await this.#run(this.#sql.breakLease, [runId]);
  }

  /** Removes a run that is free, or its owner's; whether it did. */
  async remove(runId: string, owner: string): Promise<boolean> {
    return (await this.#run(this.#sql.remove, [runId, owner])).length > 0;
  }

  /** The runs that there are, sorted. For idle runs those of an owner are given, too. */
  async list(
    unfinished: boolean,
    idle: boolean,
    owner: string,
  ): Promise<readonly ListedRun[]> {
    const rows = await this.#run(this.#sql.list(unfinished, idle), idle ? [owner] : []);
    return rows.map((row) => ({ runId: textIn(row, "run_id"), ...driverIn(row) }));
  }

  /** A whole log, or `null` if there is no such run. */
  async read(runId: string): Promise<WholeLog | null> {
    const rows = await this.#run(this.#sql.log, [runId]);
    const [first] = rows;
    if (first === undefined) return null;
    const lines = linesIn(runId, 0, rows);
    checkTail(runId, lines.length, first, rows.at(-1)?.token);
    return { run: textIn(first, "run"), driver: textIn(first, "driver"), lines };
  }

  /** The lines of a log, some at a time; none if there is no such run. */
  async *parts(runId: string): AsyncGenerator<readonly string[]> {
    const found = await this.row(runId);
    if (found === null) return;
    let last: unknown;
    for (let seq = 0;;) {
      const rows = await this.#run(this.#sql.part, [found.run, seq]);
      const [first] = rows;
      if (first === undefined) throw new Error("the run was removed while it was read");
      const lines = linesIn(runId, seq, rows);
      if (lines.length === 0) return checkTail(runId, seq, first, last);
      yield lines;
      seq += lines.length;
      last = rows.at(-1)?.token;
    }
  }
}

function runOf([row]: readonly PostgresRow[]): string | null {
  return row === undefined || row.run === null ? null : textIn(row, "run");
}

function driverIn(row: PostgresRow): PostgresDriver {
  return { driver: textIn(row, "driver"), leftMs: numberIn(row, "left_ms") };
}

/** A text of a row. A client that renames columns, or gives rows as arrays, must not pass for a database without them. */
function textIn(row: PostgresRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new TypeError(`the client's answer has no text in the column ${column}`);
}

/** A whole number of a row: some clients give one as a bigint or a text. */
function numberIn(row: PostgresRow, column: string): number {
  const value = Number(row[column] ?? NaN);
  if (Number.isInteger(value)) return value;
  throw new TypeError(`the client's answer has no whole number in the column ${column}`);
}

/** The lines of rows that are to be the entries from a place on. A run without an entry there is one row of nulls. */
function linesIn(runId: string, from: number, rows: readonly PostgresRow[]): readonly string[] {
  const entries = rows.filter(({ seq }) => seq !== null);
  const misplaced = entries.findIndex((row, i) => numberIn(row, "seq") !== from + i);
  if (misplaced !== -1) {
    const detail = "the table has another entry in its place";
    throw new RunLogCorruptError(runId, from + misplaced, "chain", detail);
  }
  return entries.map((row) => textIn(row, "line"));
}

/** Refuses a log that does not end with the entry that the run's row names: its end is gone. */
function checkTail(runId: string, length: number, { tail }: PostgresRow, token: unknown): void {
  if (token === tail) return;
  const detail = "the run's row names another entry as the last one";
  throw new RunLogCorruptError(runId, length, "chain", detail);
}
