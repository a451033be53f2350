import { cutMiddle } from "../_text/cut_text.ts";
import { PolyLoopError } from "./polyloop_error.ts";

/** What a log can be checked for: each can be derived again from the log alone. */
export const LOG_CHECKS = [
  "chain",
  "records",
  "grammar",
  "inputs",
  "prompts",
  "step_words",
  "stop_decisions",
  "finish",
] as const;

/**
 * What a log is checked for:
 *
 * - `chain` the framing of every entry, its place and its hash
 * - `records` the schema and the shape of every record
 * - `grammar` that each record may stand where it does, with its ids, indices, ordinals, attempts and counters
 * - `inputs` that the snapshot and the context digest are those of the recorded inputs
 * - `prompts` digest and size of every prompt
 * - `step_words` what each step shows the model in the library's own words, and who denied or skipped its actions
 * - `stop_decisions` that no limit was passed over, and why the run ended
 * - `finish` the answer, the given-up id and the last prompt size of the finished record
 */
export type LogCheck = (typeof LOG_CHECKS)[number];

/** The log is damaged inside, not only torn at its end. It is untouched. */
export class RunLogCorruptError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** The first entry that is at fault, from 0. */
  readonly seq: number;
  /** The check that it does not pass. */
  readonly check: LogCheck;
  /** What is wrong with it, in no more than 1,000 code points: its middle may be missing. */
  readonly reason: string;

  /** Makes an error for the first faulty entry of a log and the check that it does not pass. */
  constructor(
    runId: string,
    seq: number,
    check: LogCheck,
    reason: string,
    options?: ErrorOptions,
  ) {
    const shown = shownReason(reason);
    super("run_log_corrupt", `Cannot read entry ${seq} of run "${runId}" as ${shown}`, options);
    this.runId = runId;
    this.seq = seq;
    this.check = check;
    this.reason = shown;
  }
}

/** A reason quotes names and ids of the log, which may be of any length. */
function shownReason(reason: string): string {
  const { beginning, end, truncatedChars } = cutMiddle(reason, 999);
  return truncatedChars === 0 ? beginning : `${beginning}…${end}`;
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
