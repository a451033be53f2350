import { requireCount, requireString } from "./_errors/require_type.ts";
import { digest } from "./digest.ts";

/** The schema of the entries that this version writes, `major.minor`. A reader refuses another major. */
export const LOG_SCHEMA = "1.0";

/** One entry of a run's log as a store sees it: its place in the hash chain, and its one line of JSON without LF. */
export interface LogEntry {
  /** 0 for the first entry of a run, one more for each that follows. */
  readonly seq: number;
  /** The {@link LogEntry.hash} of the entry before; for entry 0 the digest of the run id. */
  readonly prev: string;
  /** The digest of the line up to its last `,"hash":`. */
  readonly hash: string;
  /** The whole line: `{"schema":…,"seq":…,"prev":…,"records":[…],"hash":…}`. */
  readonly line: string;
}

const HASH_KEY = ',"hash":';
const OPENING =
  /^\{"schema":"(\d{1,9}\.\d{1,9})","seq":(0|[1-9]\d{0,15}),"prev":"(sha256:[0-9a-f]{64})","records":\[/;
const CLOSING = /^,"hash":"sha256:[0-9a-f]{64}"\}$/;
const CLOSING_LENGTH = HASH_KEY.length + '"sha256:'.length + 64 + '"}'.length;

/**
 * Frames the JSON of an entry's records as the log line at a place of the hash chain.
 *
 * @param seq The entry's place, from 0.
 * @param prev The hash of the entry before, or the digest of the run id.
 * @param recordsJson The records, each as JSON text, joined by commas.
 * @throws {InvalidRequestError} If the place is no whole number, or one of the others no text.
 */
export function frameLogLine(seq: number, prev: string, recordsJson: string): LogEntry {
  requireCount("seq", seq);
  requireString("prev", prev);
  requireString("recordsJson", recordsJson);
  const hashed =
    `{"schema":"${LOG_SCHEMA}","seq":${seq},"prev":"${prev}","records":[${recordsJson}]`;
  const hash = digest(hashed);
  return { seq, prev, hash, line: `${hashed}${HASH_KEY}"${hash}"}` };
}

/** What {@link parseLogLine} gives: the entry and its schema, or what is wrong with the line. */
export type ParsedLogLine =
  | { readonly ok: true; readonly schema: string; readonly entry: LogEntry }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the framing of a line and checks its hash; what its records hold is not looked at. Never throws.
 *
 * @param line One line of a log, without its LF.
 */
export function parseLogLine(line: string): ParsedLogLine {
  if (typeof line !== "string") return { ok: false, reason: "it is not a string" };
  const opening = OPENING.exec(line);
  if (opening === null) return { ok: false, reason: "it does not start as a log entry does" };
  // A digest cannot tell a lone surrogate from U+FFFD; a line never holds one, since JSON escapes it.
  if (!line.isWellFormed()) return { ok: false, reason: "it is not well-formed Unicode" };
  const hash = digest(line.slice(0, -CLOSING_LENGTH));
  const closing = line.slice(-CLOSING_LENGTH);
  if (closing !== `${HASH_KEY}"${hash}"}`) {
    const reason = CLOSING.test(closing)
      ? "its hash does not match its content"
      : "it does not end with a hash";
    return { ok: false, reason };
  }
  const [, schema = "", seq, prev = ""] = opening;
  return { ok: true, schema, entry: { seq: Number(seq), prev, hash, line } };
}
