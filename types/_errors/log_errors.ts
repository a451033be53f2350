import { PolyLoopError } from "./polyloop_error.ts";

/** The log is damaged inside, not only torn at its end. It is untouched. */
export class RunLogCorruptError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** The first entry that is at fault, from 0. */
  readonly seq: number;
  /** What is wrong with it. */
  readonly reason: string;

  /** Makes an error for the first faulty entry of a log. */
  constructor(runId: string, seq: number, reason: string, options?: ErrorOptions) {
    super("run_log_corrupt", `Cannot read entry ${seq} of run "${runId}" as ${reason}`, options);
    this.runId = runId;
    this.seq = seq;
    this.reason = reason;
  }
}

/** The log was written by a later version of the library than this one can read. It is untouched. */
export class SchemaVersionError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** The entry, from 0. */
  readonly seq: number;
  /** The schema that the entry says it has, `major.minor`. */
  readonly found: string;

  /** Makes an error for an entry and the schema that it says it has. */
  constructor(runId: string, seq: number, found: string, detail: string) {
    super(
      "schema_version",
      `Cannot read entry ${seq} of run "${runId}" as ${detail} (schema "${found}"): use a later version of the library`,
    );
    this.runId = runId;
    this.seq = seq;
    this.found = found;
  }
}
