import { advance, type Position } from "../../logic/_recovery/mod.ts";
import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import type { LogRecord, StepRecord } from "../../types/mod.ts";

/** Where a record stands in a log. */
export interface RecordPlace {
  readonly seq: number;
  readonly before: Position;
  /** The step that it ended. Absent: it is no step's end. */
  readonly ended?: StepRecord;
}

/** Is shown each record with where it stands. */
export type VisitRecord = (record: LogRecord, place: RecordPlace) => void;

/**
 * Where a run stands after an entry, each record having been shown. Throws a {@link RunLogCorruptError} where the entry
 * breaks the grammar.
 */
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
