import {
  arrayShape,
  checkShape,
  copyJson,
  countShape,
  digest,
  frameLogLine,
  LOG_SCHEMA,
  type LogEntry,
  type LogRecord,
  logRecordShape,
  MAX_JSON_DEPTH,
  objectShape,
  parsedLinesOf,
  type ParsedLogLine,
  parseLogLine,
  requireArray,
  requireString,
  RunLogCorruptError,
  SchemaVersionError,
  SerializationError,
  type Shape,
  type StoredRecord,
  storedRecordShape,
  stringShape,
} from "../../types/mod.ts";
import { freezeParsed } from "./freeze_parsed.ts";
import { storedRecords, wholeRecords } from "./stored_records.ts";

/** An entry, its records and their fields stand around the values that they hold. */
const MAX_ENTRY_DEPTH = MAX_JSON_DEPTH + 8;

/** A decoded entry of a log. */
export interface DecodedEntry {
  /** The schema that its line names, `major.minor`. */
  readonly schema: string;
  /** Its place in the log, from 0. */
  readonly seq: number;
  /** The hash of the entry before; for entry 0 the digest of the run id. */
  readonly prev: string;
  /** Its own hash. */
  readonly hash: string;
  /** Its records, at least one, deep-frozen. */
  readonly records: readonly LogRecord[];
}

/** The JSON of an entry's line. */
interface StoredEntry extends Omit<DecodedEntry, "records"> {
  readonly records: readonly StoredRecord[];
}

const storedEntryShape: Shape<StoredEntry> = objectShape({
  schema: stringShape,
  seq: countShape,
  prev: stringShape,
  hash: stringShape,
  records: arrayShape(storedRecordShape, 1),
});

/**
 * Writes records as the next entry of a log.
 *
 * @example
 * ```ts
 * import { decodeLog, encodeEntry } from "@polyloop/polyloop/serialization";
 * import { digest, type LogRecord } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * const records: LogRecord[] = [{
 *   type: "run_started",
 *   runId: "demo",
 *   parameters: {},
 *   contextDigest: digest(""),
 *   runtime: { polyloop: "0.1.0" },
 *   at: "2026-01-01T00:00:00.000Z",
 * }];
 * const entry = encodeEntry(0, digest("demo"), records);
 * assertEquals(decodeLog("demo", [entry.line])[0]?.records, records);
 * ```
 *
 * @param seq The entry's place, from 0.
 * @param prev The hash of the entry before, or the digest of the run id.
 * @throws {SerializationError} With the path of the first value that JSON cannot carry, or that no record may have.
 */
export function encodeEntry(seq: number, prev: string, records: readonly LogRecord[]): LogEntry {
  requireArray("records", records);
  if (records.length === 0) {
    throw new SerializationError("records", "an entry has at least one record");
  }
  return frameRecords(
    seq,
    prev,
    records.map((record, i) => {
      const copy = copyJson(record, `records[${i}]`, MAX_ENTRY_DEPTH);
      const checked = checkShape(copy, logRecordShape);
      if (checked.ok) return checked.value;
      throw new SerializationError(`records[${i}]${checked.fault.path}`, checked.fault.reason);
    }),
  );
}

/** Writes records that were copied and checked when they were made. */
export function frameRecords(seq: number, prev: string, records: readonly LogRecord[]): LogEntry {
  return frameLogLine(seq, prev, JSON.stringify(storedRecords(records)).slice(1, -1));
}

/**
 * Reads a log: checks every line's framing, hash, place in the chain, schema and the shape of its records. What the
 * records say together (the grammar of steps) is `readLog`'s part.
 *
 * @param runId The run whose log it is.
 * @param lines Its lines in order, each without LF.
 * @throws {RunLogCorruptError} With the seq of the first faulty entry.
 * @throws {SchemaVersionError} For an entry of another schema major, or one of a later minor that this version cannot
 * read. Fields that a later minor added are left in place and not looked at.
 * @throws {InvalidRequestError} If the run id is no text, or there is no array of lines.
 */
export function decodeLog(runId: string, lines: readonly string[]): readonly DecodedEntry[] {
  requireString("runId", runId);
  requireArray("lines", lines);
  return [...decodedEntries(runId, lines)];
}

/** The entries of a log, each read as it is asked for: what is done with one needs not hold them all. */
export function* decodedEntries(
  runId: string,
  lines: readonly string[],
): Generator<DecodedEntry, void, void> {
  const decoder = new LogDecoder(runId);
  const parsed = parsedLinesOf(lines);
  for (const [seq, line] of lines.entries()) {
    yield decoder.decode(parsed?.[seq] ?? parseLogLine(line));
  }
}

/** Reads the lines of a log one after the other, as {@link decodeLog} does, which tells what is thrown. */
export class LogDecoder {
  readonly #runId: string;
  #seq = 0;
  #prev: string;

  /** Begins with entry 0 of a run's log. */
  constructor(runId: string) {
    this.#runId = runId;
    this.#prev = digest(runId);
  }

  /** Reads the next line. */
  decode(line: ParsedLogLine): DecodedEntry {
    const entry = decodeEntry(this.#runId, this.#seq, this.#prev, line);
    this.#seq += 1;
    this.#prev = entry.hash;
    return entry;
  }
}

function decodeEntry(
  runId: string,
  seq: number,
  prev: string,
  parsed: ParsedLogLine,
): DecodedEntry {
  if (!parsed.ok) throw new RunLogCorruptError(runId, seq, "chain", parsed.reason);
  const { schema, entry } = parsed;
  const later = isLaterMinor(runId, seq, schema);
  if (entry.seq !== seq) {
    throw new RunLogCorruptError(runId, seq, "chain", `entry ${entry.seq} stands in its place`);
  }
  if (entry.prev !== prev) {
    throw new RunLogCorruptError(runId, seq, "chain", "it does not continue the entry before it");
  }
  const json = parseJson(runId, seq, entry.line);
  const checked = checkShape(json, storedEntryShape, { unknownFields: later });
  if (checked.ok) {
    const records = recordsOf(runId, seq, checked.value);
    return Object.freeze({ schema, seq, prev, hash: entry.hash, records });
  }
  const { fault } = checked;
  const where = fault.path.slice(1);
  if (later && fault.unknownMember) {
    throw new SchemaVersionError(runId, seq, schema, `${where} is not known: ${fault.reason}`);
  }
  throw new RunLogCorruptError(runId, seq, "records", `${where} is wrong: ${fault.reason}`);
}

function recordsOf(runId: string, seq: number, { records }: StoredEntry): readonly LogRecord[] {
  try {
    return Object.freeze(wholeRecords(records));
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    const reason = `${error.path} is wrong: ${error.reason}`;
    throw new RunLogCorruptError(runId, seq, "records", reason);
  }
}

/** The JSON of a line, deep-frozen; what `JSON.parse` alone would let pass (`1e999`, any depth) is refused. */
function parseJson(runId: string, seq: number, line: string): unknown {
  try {
    return freezeParsed(JSON.parse(line), MAX_ENTRY_DEPTH);
  } catch (cause) {
    throw new RunLogCorruptError(runId, seq, "records", "it is not JSON that a log may hold", {
      cause,
    });
  }
}

function isLaterMinor(runId: string, seq: number, schema: string): boolean {
  if (schema === LOG_SCHEMA) return false;
  const [major = NaN, minor = NaN] = schema.split(".").map(Number);
  const [ownMajor = NaN, ownMinor = NaN] = LOG_SCHEMA.split(".").map(Number);
  if (major !== ownMajor) {
    throw new SchemaVersionError(runId, seq, schema, `this version reads schema ${ownMajor} only`);
  }
  return minor > ownMinor;
}
