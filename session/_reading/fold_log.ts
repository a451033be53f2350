import { advance, type Position, startPosition } from "../../logic/_recovery/mod.ts";
import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import type { LogRecord, StepRecord } from "../../types/mod.ts";

/** Where a record stands in a log. */
export interface RecordPlace {
  readonly seq: number;
  readonly before: Position;
  /** The step that it ended. Absent: it is no step's end. */
  readonly ended?: StepRecord;
}

/** Where a log ends, having shown each record. Throws a {@link RunLogCorruptError} where it breaks the grammar. */
export function foldLog(
  runId: string,
  entries: readonly DecodedEntry[],
  visit: VisitRecord,
): Position {
  return entries.reduce((at, entry) => foldEntry(at, entry, visit), startPosition(runId));
}

/** Is shown each record with where it stands. */
export type VisitRecord = (record: LogRecord, place: RecordPlace) => void;

/** Where an entry ends that begins at a position; else as {@link foldLog}. */
export function foldEntry(
  position: Position,
  { seq, records }: DecodedEntry,
  visit: VisitRecord,
): Position {
  for (const record of records) {
    const before = position;
    position = advance(before, record, seq);
    const { last } = position.tally;
    const ended = last === before.tally.last ? undefined : last;
    visit(record, ended === undefined ? { seq, before } : { seq, before, ended });
  }
  return position;
}
