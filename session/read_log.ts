import { type Position, startPosition } from "../logic/_recovery/mod.ts";
import { LogDecoder } from "../logic/serialization/log_codec.ts";
import type { DecodedEntry } from "../logic/serialization/mod.ts";
import {
  type ContextEditFailedRecord,
  type ContextEditRecord,
  InvalidRequestError,
  type LogRecord,
  type ModelCallWithdrawnRecord,
  type ModelReplyRecord,
  parsedLinesOf,
  type ParsedLogLine,
  parseLogLine,
  present,
  requireArray,
  requireIterable,
  type RunCounters,
  type RunFinishedRecord,
  RunLogCorruptError,
  type RunSettings,
  type RunStartedRecord,
  type StepRecord,
} from "../types/mod.ts";
import { foldEntry, type VisitRecord } from "./_reading/fold_log.ts";
import {
  openStepOf,
  type OpenStepRecord,
  openSummaryOf,
  type OpenSummaryRecord,
} from "./_reading/open_step_record.ts";

/** What a log says, but for the steps. */
export interface RunLogSummary {
  /** The run's id. */
  readonly runId: string;
  /** The started record: parameters, inputs, runtime. */
  readonly started: RunStartedRecord;
  /** The run's settings, as the started record's parameters give them. */
  readonly settings: RunSettings;
  /**
   * The step that has no end: the run stands in it, or finished in it as its model call was withdrawn and could not be
   * made again. Absent: none is open.
   */
  readonly open?: OpenStepRecord;
  /** The finished record. Absent: the run has not finished. */
  readonly finished?: RunFinishedRecord;
  /** What the run has spent, derived from the records. */
  readonly counters: RunCounters;
  /** The model calls that were given up, in order: each was made again, or is to be. */
  readonly withdrawals: readonly ModelCallWithdrawnRecord[];
  /** The edits of the prompt, and the summaries that failed, in order; empty if there were none. */
  readonly edits: readonly (ContextEditRecord | ContextEditFailedRecord)[];
  /** The replies that sum up steps, in order; empty if there are none. */
  readonly summaries: readonly ModelReplyRecord[];
  /** The call that sums up steps where the log ends, and whether its reply is recorded. Absent: none is open. */
  readonly openSummary?: OpenSummaryRecord;
  /** For each model-call intent, in order, what it is for and how many of the edits came before it. */
  readonly calls: readonly LoggedCall[];
  /** For each model-call intent, in order, the entry that it stands in. */
  readonly callEntries: readonly number[];
  /**
   * For each recorded step the hash of the entry after which it began: of the first entry, then of each entry with a step's
   * end. One more than there are steps: the last is that after which the next one would begin.
   */
  readonly heads: readonly string[];
  /** For each of the edits the hash of its entry. */
  readonly editHeads: readonly string[];
  /** The ids of the actions that their executor would have let be done again, in order. */
  readonly replayable: readonly string[];
  /** The ids of the actions that were executed at the same time as others, in order. */
  readonly concurrent: readonly string[];
  /** How many entries the log has. */
  readonly entries: number;
  /** The hash of the last entry: it stands for the whole log. */
  readonly logHead: string;
}

/** A model-call intent of a log. */
export interface LoggedCall {
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** The call's id. */
  readonly callId: string;
  /** What it is for, where that is not the step's decision. Absent: it is. */
  readonly purpose?: "summary";
  /** How many of the log's edits came before it, failures among them. */
  readonly edits: number;
  /** The rolling digest over the prompt's messages. */
  readonly promptDigest: string;
  /** When it was about to be made. */
  readonly at: string;
}

/** What a log says. */
export interface RunLog extends RunLogSummary {
  /** The recorded steps, in order. */
  readonly steps: readonly StepRecord[];
}

/**
 * Reads a log, without an agent and without a store. It checks the hash chain, the schema and the grammar; what else
 * can be derived again is {@link verifyLog}'s part.
 *
 * A tail of whole entries that somebody cut off, or a log that somebody hashed anew, cannot be told from inside: hold
 * {@link RunLogSummary.logHead} against the `logHead` that the run's result gave.
 *
 * @param lines The log's lines in order, each without LF: what `RunStore.readRun` gives.
 * @throws {RunLogCorruptError} With the seq of the first faulty entry.
 * @throws {SchemaVersionError} For a log that a later version wrote.
 * @throws {InvalidRequestError} If there is no array of lines.
 */
export function readLog(lines: readonly string[]): RunLog {
  requireArray("lines", lines);
  const reading = new LogReading();
  const steps: StepRecord[] = [];
  reading.takeAll(lines, (_, { ended }) => {
    if (ended !== undefined) steps.push(ended);
  });
  return Object.freeze({ ...reading.summary(), steps: Object.freeze(steps) });
}

/**
 * Reads a log as {@link readLog} does, part by part: beside the summary and what `onStep` keeps there is one part and
 * the step that it belongs to in memory, however long the log is. What `parts` and `onStep` throw is thrown.
 *
 * @param parts The log's lines in order, each without LF, some at a time: what `RunCatalog.readLines` gives.
 * @param onStep Is given each recorded step, in order. Where a later line is faulty it was given the steps before.
 * @throws {RunLogCorruptError} With the seq of the first faulty entry.
 * @throws {SchemaVersionError} For a log that a later version wrote.
 * @throws {InvalidRequestError} If there are no lines to go through, or `onStep` is no function.
 */
export async function readLogInParts(
  parts: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  onStep: (step: StepRecord) => void,
): Promise<RunLogSummary> {
  requireIterable("parts", parts);
  if (typeof onStep !== "function") {
    throw new InvalidRequestError("onStep", onStep, "it must be a function");
  }
  const reading = new LogReading();
  for await (const lines of parts) {
    requireArray("parts[]", lines);
    reading.takeAll(lines, (_, { ended }) => {
      if (ended !== undefined) onStep(ended);
    });
  }
  return reading.summary();
}

/** A log that is read part by part. */
export class LogReading {
  readonly #callEntries: number[] = [];
  readonly #calls: LoggedCall[] = [];
  readonly #edits: (ContextEditRecord | ContextEditFailedRecord)[] = [];
  readonly #summaries: ModelReplyRecord[] = [];
  readonly #withdrawals: ModelCallWithdrawnRecord[] = [];
  readonly #heads: string[] = [];
  readonly #editHeads: string[] = [];
  readonly #replayable = new Set<string>();
  readonly #concurrent = new Set<string>();
  #started: { readonly decoder: LogDecoder; position: Position } | undefined;
  #entries = 0;
  #head = "";

  /** Reads all lines: see {@link LogReading.take}. What a store has read of them is not read again. */
  takeAll(lines: readonly string[], visit: VisitRecord): void {
    const parsed = parsedLinesOf(lines);
    for (const [i, line] of lines.entries()) this.take(line, visit, parsed?.[i]);
  }

  /** Reads the next line, and has each of its records visited. Throws where the log is not as it must be. */
  take(line: string, visit: VisitRecord, parsed: ParsedLogLine = parseLogLine(line)): DecodedEntry {
    const log = this.#started ??= startedAt(runIdOf(line));
    const entry = log.decoder.decode(parsed);
    log.position = foldEntry(log.position, entry, (record, place) => {
      this.#note(record, entry);
      if (record.type === "run_started" || record.type === "step") this.#heads.push(entry.hash);
      visit(record, place);
    });
    this.#takeIntents(entry);
    this.#entries += 1;
    this.#head = entry.hash;
    return entry;
  }

  /** Intents of actions that stand in one entry are those of a batch. */
  #takeIntents({ records }: DecodedEntry): void {
    const intents = records.filter((record) => record.type === "action_intent");
    for (const { actionId, replayPolicy } of intents) {
      if (replayPolicy === "replayable") this.#replayable.add(actionId);
      if (intents.length > 1) this.#concurrent.add(actionId);
    }
  }

  #note(record: LogRecord, { seq, hash }: DecodedEntry): void {
    if (record.type === "model_call_intent") {
      const { stepIndex, callId, purpose, promptDigest, at } = record;
      const edits = this.#edits.length;
      this.#callEntries.push(seq);
      const call = { stepIndex, callId, purpose, edits, promptDigest, at };
      this.#calls.push(Object.freeze(present(call)));
    } else if (record.type === "context_edit" || record.type === "context_edit_failed") {
      this.#edits.push(record);
      this.#editHeads.push(hash);
    } else if (record.type === "model_reply" && record.purpose !== undefined) {
      this.#summaries.push(record);
    } else if (record.type === "model_call_withdrawn") {
      this.#withdrawals.push(record);
    }
  }

  /** The run's id; empty before the first line, and where that names none. */
  get runId(): string {
    return this.#started?.position.runId ?? "";
  }

  /** What the lines so far say. */
  summary(): RunLogSummary {
    const position = this.#started?.position ?? startPosition("");
    if (position.kind === "unstarted") {
      const reason = "there is no line: does the store hold the run?";
      throw new RunLogCorruptError(position.runId, this.#entries, "grammar", reason);
    }
    return Object.freeze(present({
      runId: position.runId,
      started: position.started,
      settings: position.settings,
      open: openStepOf(position),
      finished: position.kind === "finished" ? position.finished : undefined,
      counters: position.tally.counters,
      edits: Object.freeze([...this.#edits]),
      summaries: Object.freeze([...this.#summaries]),
      openSummary: openSummaryOf(position),
      calls: Object.freeze([...this.#calls]),
      withdrawals: Object.freeze([...this.#withdrawals]),
      callEntries: Object.freeze([...this.#callEntries]),
      heads: Object.freeze([...this.#heads]),
      editHeads: Object.freeze([...this.#editHeads]),
      replayable: Object.freeze([...this.#replayable]),
      concurrent: Object.freeze([...this.#concurrent]),
      entries: this.#entries,
      logHead: this.#head,
    }));
  }
}

function startedAt(runId: string): { readonly decoder: LogDecoder; position: Position } {
  return { decoder: new LogDecoder(runId), position: startPosition(runId) };
}

/** Refuses what {@link readLog} cannot have given: its lines, say. */
export function requireLog(log: unknown, name = "log"): void {
  if (typeof Object(Object(log).started).parameters === "object") return;
  throw new InvalidRequestError(name, log, "it must be what readLog gives");
}

/** The run id that a log's first line names; empty if it names none. */
function runIdOf(line: string): string {
  try {
    const runId: unknown = JSON.parse(line).records[0].runId;
    if (typeof runId === "string") return runId;
  } catch {
    // Whatever is wrong with the line, the codec names it.
  }
  return "";
}
