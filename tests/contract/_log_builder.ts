import { digest, frameLogLine, type LogEntry } from "../../types/mod.ts";

/** Builds the entries of one run's log, each going on from the one before. */
export interface LogBuilder {
  /** The run. */
  readonly runId: string;
  /** What was built so far. */
  readonly lines: readonly string[];
  /** The hash of the last entry; the digest of the run id where there is none. */
  readonly head: string;
  /** The first entry. */
  start(): LogEntry;
  /** An entry with one record that holds the payload; `json` is put into the record as it is. */
  next(json?: string): LogEntry;
  /** The last entry; `json` is put into it as it is. */
  finish(json?: string): LogEntry;
  /** A builder that goes on from here by itself: a second driver that has read the same log. */
  fork(): LogBuilder;
}

/** Makes a builder for a run. */
export function logBuilder(runId: string): LogBuilder {
  return builder(runId, [], digest(runId));
}

/** Makes a builder that goes on from the lines of a log that was read. */
export function resumedLogBuilder(runId: string, lines: readonly string[]): LogBuilder {
  return builder(runId, [...lines], JSON.parse(lines.at(-1)!).hash);
}

function builder(runId: string, lines: string[], head: string): LogBuilder {
  function add(record: string): LogEntry {
    const entry = frameLogLine(lines.length, head, record);
    lines.push(entry.line);
    head = entry.hash;
    return entry;
  }
  return {
    runId,
    lines,
    get head() {
      return head;
    },
    start: () => add(`{"type":"run_started","runId":${JSON.stringify(runId)}}`),
    next: (json = `"entry ${lines.length}"`) => add(`{"type":"step","observation":${json}}`),
    finish: (json = '"done"') => add(`{"type":"run_finished","answer":${json}}`),
    fork: () => builder(runId, [...lines], head),
  };
}
