import {
  type LogEntry,
  type ParsedLogLine,
  parseLogLine,
  RunLogCorruptError,
  textsOf,
  type WholeLogLine,
} from "../../types/mod.ts";
import { lineTooLong, MAX_LINE_BYTES } from "../_log/line_limit.ts";
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
 * Reads the bytes of a run's log, as {@link LogScan} does.
 *
 * @throws {RunLogCorruptError} With the seq and, in its reason, the byte at which the faulty line starts.
 */
export function readLog(runId: string, bytes: Uint8Array): ReadLog {
  const scan = new LogScan(runId);
  const lines: WholeLogLine[] = [];
  scan.take(bytes, lines);
  scan.finish(lines);
  return { lines: textsOf(lines), ...scan.end };
}

/**
 * Reads a run's log in pieces. The line feed is the mark of a commit: what has none and is not a whole entry is a torn
 * tail, and left out; anything else that is not the next entry is corruption, a {@link RunLogCorruptError}.
 */
export class LogScan {
  readonly #runId: string;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #end: Omit<ReadLog, "lines">;
  /** What came of a line that has no end yet. */
  #pieces: Uint8Array[] = [];
  #pending = 0;

  constructor(runId: string) {
    this.#runId = runId;
    this.#end = { tail: emptyTail(runId), end: 0, terminated: true };
  }

  /** Where the log ends, as far as it was read. */
  get end(): Omit<ReadLog, "lines"> {
    return this.#end;
  }

  /** Takes the next bytes and adds the lines that they end to others. Nothing of the bytes is kept. */
  take(bytes: Uint8Array, lines: WholeLogLine[]): void {
    let start = 0;
    for (let feed = bytes.indexOf(LF); feed !== -1; feed = bytes.indexOf(LF, start)) {
      this.#keep(bytes.subarray(start, feed));
      const text = this.#taken();
      lines.push(this.#next(text, foreignEdit(text), true));
      start = feed + 1;
    }
    if (start < bytes.length) this.#keep(bytes.slice(start));
  }

  /** Adds the last line to others where it is whole and has no line feed. */
  finish(lines: WholeLogLine[]): void {
    const rest = this.#taken();
    const text = rest.subarray(0, endBeforeNuls(rest, 0));
    if (text.length === 0) return;
    const foreign = foreignEdit(text) ?? changedFeed(this.#decoder, text);
    if (foreign === null && !parseBytes(this.#decoder, text).ok) return;
    lines.push(this.#next(text, foreign, false));
  }

  #keep(piece: Uint8Array): void {
    this.#pending += piece.length;
    if (this.#pending > MAX_LINE_BYTES) throw lineTooLong(this.#end.tail.length);
    this.#pieces.push(piece);
  }

  #taken(): Uint8Array {
    const [only] = this.#pieces;
    const line = this.#pieces.length === 1 && only !== undefined
      ? only
      : joined(this.#pieces, this.#pending);
    this.#pieces = [];
    this.#pending = 0;
    return line;
  }

  #next(text: Uint8Array, foreign: string | null, terminated: boolean): WholeLogLine {
    const { tail, end } = this.#end;
    const line = foreign === null ? parseBytes(this.#decoder, text) : refusal(foreign);
    const fault = line.ok
      ? misplaced(this.#runId, line.entry, tail.length, tail.hash)
      : line.reason;
    if (!line.ok || fault !== null) {
      throw new RunLogCorruptError(this.#runId, tail.length, "chain", `${fault}, at byte ${end}`);
    }
    this.#end = {
      tail: { length: tail.length + 1, hash: line.entry.hash },
      end: end + text.length + (terminated ? 1 : 0),
      terminated,
    };
    return line;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
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
