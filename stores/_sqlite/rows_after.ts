import { RunLogCorruptError } from "../../types/mod.ts";
import type { SqliteLog, SqliteRow } from "./log.ts";

/** How many characters are read at a time, but for one line that has more. */
const BATCH_CHARS = 1_000_000;

/** The entries that follow one, as many as are read at a time; an entry that is not in its place is the last. */
export function rowsAfter(
  log: SqliteLog,
  { previous, seq }: { readonly previous: number; readonly seq: number },
): readonly SqliteRow[] {
  const rows: SqliteRow[] = [];
  let chars = 0;
  let row = log.rowAfter(previous);
  while (row !== null && chars < BATCH_CHARS) {
    rows.push(row);
    if (row.seq !== seq + rows.length - 1) break;
    chars += row.line.length;
    row = log.rowAfter(row.id);
  }
  return rows;
}

/** The error for an entry that stands where another must. */
export function misplacedEntry(runId: string, seq: number): RunLogCorruptError {
  return new RunLogCorruptError(runId, seq, "chain", "the table has another entry in its place");
}
