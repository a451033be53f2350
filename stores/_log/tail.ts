import { isTooLong, lineTooLong } from "./line_limit.ts";
import { digest, type LogEntry, RunConflictError, StoreFailedError } from "../../types/mod.ts";

/** Where a run's log ends: what the next entry must go on from. */
export interface LogTail {
  /** How many entries there are. */
  readonly length: number;
  /** The hash of the last one; the digest of the run id where there is none. */
  readonly hash: string;
}

/** The tail of a log that has no entry. */
export function emptyTail(runId: string): LogTail {
  return { length: 0, hash: digest(runId) };
}

/** Refuses an entry that is not the next one of a log, or whose line does not say what the entry says. */
export function checkNext(runId: string, tail: LogTail, entry: LogEntry): void {
  const { seq, prev, hash, line } = entry;
  if (seq < tail.length) {
    throw new RunConflictError(runId, seq, "another driver has written that entry");
  }
  if (seq > tail.length) {
    throw new RunConflictError(runId, seq, `the store holds ${tail.length} entries before it`);
  }
  if (prev !== tail.hash) {
    throw new RunConflictError(
      runId,
      seq,
      `it goes on from "${prev}" and the log ends with "${tail.hash}"`,
    );
  }
  if (
    !line.startsWith(`,"seq":${seq},"prev":"${prev}","records":[`, line.indexOf(",")) ||
    !line.endsWith(`],"hash":"${hash}"}`) || line.includes("\n") || !line.isWellFormed()
  ) {
    throw new StoreFailedError(
      { action: "write", runId, durability: "none" },
      `the line of entry ${seq} is not one line of text that carries its seq, prev and hash`,
    );
  }
  if (isTooLong(line)) {
    const task = { action: "write", runId, durability: "none" } as const;
    throw new StoreFailedError(task, lineTooLong(seq).message);
  }
}

/** Refuses to claim a run whose log does not end where it was read to. */
export function checkHead(runId: string, { length, hash }: LogTail, head: string): void {
  if (hash === head) return;
  const detail = `its log was read to "${head}" and ends with "${hash}"`;
  throw new RunConflictError(runId, length, detail);
}

/** What a claim, or a write other than `startRun`, meets where the run is not, or no longer, in the store. */
export function missingRun(runId: string, { seq }: Pick<LogEntry, "seq">): RunConflictError {
  return new RunConflictError(runId, seq, "the store holds no such run, or no longer");
}
