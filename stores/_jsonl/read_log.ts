import {
  type LogEntry,
  type ParsedLogLine,
  parseLogLine,
  RunLogCorruptError,
  textsOf,
  type WholeLogLine,
} from "../../types/mod.ts";
import { emptyTail, type LogTail } from "../_log/tail.ts";

/** What the bytes of a log say. */
export interface ReadLog {
  /** The lines of its whole entries. */
  readonly lines: readonly string[];
  /** Where it ends. */
  readonly tail: LogTail;
  /** How many bytes its whole entries take; what follows them is a torn tail. */
  readonly end: number;
  /** Whether the last entry has its line feed. */
  readonly terminated: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads the bytes of a run's log. The line feed is the mark of a commit: what has none and is not a whole entry is a
 * torn tail, and left out; anything else that is not the next entry is corruption.
 *
 * @throws {RunLogCorruptError} With the seq and, in its reason, the byte at which the faulty line starts.
 */
export function readLog(runId: string, bytes: Uint8Array): ReadLog {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const lines: WholeLogLine[] = [];
  let [{ hash }, start, terminated] = [emptyTail(runId), 0, true];
  while (start < bytes.length) {
    const feed = bytes.indexOf(LF, start);
    const stop = feed === -1 ? endBeforeNuls(bytes, start) : feed;
    if (feed === -1 && stop === start) break;
    const text = bytes.subarray(start, stop);
    const foreign = foreignEdit(text) ?? (feed === -1 ? changedFeed(decoder, text) : null);
    const line = foreign === null ? parseBytes(decoder, text) : refusal(foreign);
    if (!line.ok && foreign === null && feed === -1) break;
    const fault = line.ok ? misplaced(runId, line.entry, lines.length, hash) : line.reason;
    if (!line.ok || fault !== null) {
      throw new RunLogCorruptError(runId, lines.length, "chain", `${fault}, at byte ${start}`);
    }
    lines.push(line);
    hash = line.entry.hash;
    terminated = feed !== -1;
    start = terminated ? stop + 1 : stop;
  }
  return { lines: textsOf(lines), tail: { length: lines.length, hash }, end: start, terminated };
}

function parseBytes(decoder: TextDecoder, bytes: Uint8Array): ParsedLogLine {
  let line: string;
  try {
    line = decoder.decode(bytes);
  } catch {
    return refusal("its line is not UTF-8");
  }
  return parseLogLine(line);
}

function refusal(reason: string): ParsedLogLine {
  return { ok: false, reason };
}

/** What an editor or a transfer leaves behind and no crash does. */
function foreignEdit(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return "its line is blank";
  if (bytes.at(-1) === CR) return "its line ends in CR LF instead of LF";
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return "a byte order mark is before it";
  }
  return null;
}

/**
 * Where the bytes from an offset on end if NULs at their end are left out: a power loss leaves them where bytes were
 * not written, after a whole entry too that a crash before it had left without its line feed.
 */
export function endBeforeNuls(bytes: Uint8Array, start: number): number {
  let end = bytes.length;
  while (end > start && bytes[end - 1] === 0) end--;
  return end;
}

/** A whole entry with another byte where its line feed was: no crash makes that. */
function changedFeed(decoder: TextDecoder, bytes: Uint8Array): string | null {
  if (!parseBytes(decoder, bytes.subarray(0, -1)).ok) return null;
  return "another byte is in place of its line feed";
}

function misplaced(runId: string, entry: LogEntry, seq: number, prev: string): string | null {
  if (entry.seq === seq && entry.prev === prev) return null;
  if (seq === 0 && entry.seq === 0) return `the log is that of another run than "${runId}"`;
  if (entry.seq !== seq) return `an entry with the seq ${entry.seq} is in its place`;
  return `it goes on from "${entry.prev}" and the entry before has "${prev}"`;
}
