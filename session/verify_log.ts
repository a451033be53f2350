import {
  historyMessages,
  type HistoryStyle,
  measureWith,
  PromptAssembly,
  type PromptMeasure,
} from "../logic/_assembly/mod.ts";
import {
  type Budget,
  LOG_CHECKS,
  type LogCheck,
  type LogRecord,
  parsedLinesOf,
  readBudget,
  readSettings,
  requireArray,
  requireIterable,
  type RunContext,
  RunLogCorruptError,
  type RunStartedRecord,
  SchemaVersionError,
  type StepRecord,
} from "../types/mod.ts";
import { applyRecorded } from "./_reading/apply_recorded.ts";
import { assemblyOfLog, historyStyleOf } from "./_reading/assembly_of_log.ts";
import { checkPrompt } from "./_reading/check_prompt.ts";
import { entryFault } from "./_reading/entry_fault.ts";
import type { RecordPlace, VisitRecord } from "./_reading/fold_log.ts";
import { type LogFacts, type RecordFault, recordFault } from "./_reading/record_fault.ts";
import { isRedacted } from "./_reading/redacted.ts";
import { LogReading, type RunLogSummary } from "./read_log.ts";

/** The first thing in a log that is not as it must be. */
export interface LogFault {
  /** The entry that it is in, from 0. */
  readonly seq: number;
  /** The check that found it; `schema_version` for a log of a later version, which is no damage. */
  readonly code: LogCheck | "schema_version";
  /** What is wrong, in words: the message of the error that a reader of the log would throw. */
  readonly message: string;
}

/** What no log can tell of itself. */
export const LOG_UNKNOWNS = ["end", "cancellation", "answers", "decisions"] as const;

/**
 * What no log can tell of itself:
 *
 * - `end` whether whole entries were cut off its end, or it was hashed anew: its head, held against the one that the
 *   run's result gave, tells
 * - `cancellation` whether the run was cancelled when it says so
 * - `answers` what model and environment really answered
 * - `decisions` that each decision follows from its reply, which only the interpreter can tell
 */
export type LogUnknown = (typeof LOG_UNKNOWNS)[number];

/** What {@link verifyLog} found. */
export type LogVerdict =
  | {
    /** Everything that could be derived again is as recorded. */
    readonly ok: true;
    /** What the log says, but for the steps. */
    readonly log: RunLogSummary;
    /** There is none. */
    readonly fault?: undefined;
    /** What was derived again. */
    readonly checked: readonly LogCheck[];
    /** What was not: `inputs` where none were recorded; `inputs`, `prompts` and `step_words` of a redacted log; and what no log can tell. */
    readonly unchecked: readonly (LogCheck | LogUnknown)[];
  }
  | {
    /** Something is not as it must be. */
    readonly ok: false;
    /** Nothing: what a log with a fault says is not to be believed. */
    readonly log?: undefined;
    /** The first fault. */
    readonly fault: LogFault;
    /** Nothing: a log with a fault is checked no further. */
    readonly checked: readonly [];
    /** What was not derived again: everything. */
    readonly unchecked: readonly (LogCheck | LogUnknown)[];
  };

/** A log without inputs: the first call's prompt is taken for the context. */
const WITHOUT_INPUTS = LOG_CHECKS.filter((check) => check !== "inputs");

/**
 * Derives again all that a log can decide about itself, and says what it cannot. It throws for nothing that a line can hold.
 *
 * @param lines The log's lines in order, each without LF: what `RunStore.readRun` gives.
 * @throws {InvalidRequestError} If there is no array of lines.
 */
export function verifyLog(lines: readonly string[]): LogVerdict {
  requireArray("lines", lines);
  const verification = new LogVerification();
  try {
    verification.takeAll(lines);
    return verification.verdict();
  } catch (error) {
    return faultVerdict(error);
  }
}

/**
 * Verifies a log as {@link verifyLog} does, part by part: however long the log is, one part and the step that it
 * belongs to are in memory.
 *
 * @param parts The log's lines in order, each without LF, some at a time: what `RunCatalog.readLines` gives. No more are
 * asked for after the first fault. Damage that they throw themselves (a {@link RunLogCorruptError}) is the fault; what
 * else they throw is thrown.
 * @throws {InvalidRequestError} If there are no parts to go through.
 */
export async function verifyLogInParts(
  parts: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): Promise<LogVerdict> {
  requireIterable("parts", parts);
  const verification = new LogVerification();
  try {
    for await (const lines of parts) {
      requireArray("parts[]", lines);
      verification.takeAll(lines);
    }
    return verification.verdict();
  } catch (error) {
    return faultVerdict(error);
  }
}

function faultVerdict(error: unknown): LogVerdict {
  if (!(error instanceof RunLogCorruptError || error instanceof SchemaVersionError)) throw error;
  const { seq, message } = error;
  const code = error instanceof RunLogCorruptError ? error.check : "schema_version";
  const unchecked = [...LOG_CHECKS, ...LOG_UNKNOWNS];
  return { ok: false, fault: { seq, code, message }, checked: [], unchecked };
}

/** What a redacted log cannot be checked for: digests and sizes are those of the texts that it hides. */
const HIDDEN = ["inputs", "prompts", "step_words"] as const;

function isHidden(check: LogCheck): boolean {
  return HIDDEN.some((hidden) => hidden === check);
}

/** What a log says before its steps. */
interface Recorded extends Omit<LogFacts, "prompt" | "edited" | "givenUp"> {
  /** How history is written. Absent: the log is redacted, and its prompts cannot be laid out. */
  readonly style: HistoryStyle | undefined;
}

/** The verification of a log that is read part by part. Throws at the first fault. */
class LogVerification {
  readonly #reading = new LogReading();
  #recorded: Recorded | undefined;
  #prompt: PromptMeasure | undefined;
  /** The prompt itself, where the run has a policy to edit it. */
  #edited: PromptAssembly | undefined;
  readonly #givenUp: string[] = [];

  get #isRedacted(): boolean {
    return this.#recorded !== undefined && isRedacted(this.#recorded.started);
  }

  takeAll(lines: readonly string[]): void {
    const visit: VisitRecord = (record, place) => this.#check(record, place);
    const parsed = parsedLinesOf(lines);
    for (const [i, line] of lines.entries()) {
      const entry = this.#reading.take(line, visit, parsed?.[i]);
      this.#refuse(entry.seq, entryFault(entry, line));
    }
  }

  verdict(): LogVerdict {
    const log = this.#reading.summary();
    if (this.#isRedacted) {
      const checked = LOG_CHECKS.filter((check) => !isHidden(check));
      return { ok: true, log, checked, unchecked: [...LOG_UNKNOWNS, ...HIDDEN] };
    }
    return log.started.inputs !== undefined
      ? { ok: true, log, checked: LOG_CHECKS, unchecked: LOG_UNKNOWNS }
      : { ok: true, log, checked: WITHOUT_INPUTS, unchecked: [...LOG_UNKNOWNS, "inputs"] };
  }

  #check(record: LogRecord, place: RecordPlace): void {
    const { seq, ended } = place;
    if (record.type === "run_started") this.#begin(record);
    if (this.#recorded === undefined) return;
    const { style, ...facts } = this.#recorded;
    if (
      record.type === "model_call_intent" && record.purpose === undefined && style !== undefined
    ) {
      if (this.#prompt === undefined) this.#beginWith(record, style);
      checkPrompt(this.#reading.runId, seq, record, this.#prompt ?? record);
    }
    const givenUp = givenUpBy(record);
    if (givenUp !== undefined) this.#givenUp.push(givenUp);
    const progress = { prompt: this.#prompt, edited: this.#edited, givenUp: this.#givenUp };
    this.#refuse(seq, recordFault(record, place, { ...facts, ...progress }));
    if (ended !== undefined && style !== undefined) this.#addStep(ended, style);
    if (record.type === "context_edit" && this.#edited !== undefined) {
      applyRecorded(this.#reading.runId, seq, this.#edited, record);
      this.#prompt = this.#edited.measure();
    }
  }

  #addStep(step: StepRecord, style: HistoryStyle): void {
    if (this.#edited !== undefined) {
      this.#edited.addStep(step);
      this.#prompt = this.#edited.measure();
    } else if (this.#prompt !== undefined) {
      const added = historyMessages(step, style);
      this.#prompt = measureWith(this.#prompt, added.map(({ message }) => message));
    }
  }

  /** Takes the first call's prompt for the context, where no inputs are recorded. */
  #beginWith(prompt: PromptMeasure, style: HistoryStyle): void {
    this.#prompt = prompt;
    if (this.#recorded?.settings.contextPolicy === undefined) return;
    const inputs = { context: NO_CONTEXT, injections: {}, isEditable: true, ...style };
    this.#edited = new PromptAssembly(inputs, prompt);
  }

  #begin(started: RunStartedRecord): void {
    const settings = readSettings(started.parameters);
    const style = isRedacted(started) ? undefined : historyStyleOf(started);
    this.#recorded = { started, settings, budget: budgetOf(started), style };
    if (style === undefined) return;
    const assembly = assemblyOfLog(started);
    this.#prompt = assembly?.measure();
    if (settings.contextPolicy !== undefined) this.#edited = assembly;
    if (this.#prompt === undefined || this.#prompt.promptDigest === started.contextDigest) return;
    const reason = "its context digest is not that of its inputs";
    this.#refuse(0, { check: "inputs", reason });
  }

  #refuse(seq: number, fault: RecordFault | undefined): void {
    if (fault === undefined || (this.#isRedacted && isHidden(fault.check))) return;
    throw new RunLogCorruptError(this.#reading.runId, seq, fault.check, fault.reason);
  }
}

const NO_CONTEXT: RunContext = { runLevel: [], goalLevel: [] };

/** The id of what a record says was given up: an action, or a summary that the run was cancelled in. */
function givenUpBy(record: LogRecord): string | undefined {
  if (record.type === "context_edit_failed") {
    return record.reason === "cancelled" ? record.callId : undefined;
  }
  if (record.type !== "action_result" || record.status !== "environment_failed") return undefined;
  return record.effect === "unknown" ? record.actionId : undefined;
}

function budgetOf({ runId, parameters }: RunStartedRecord): Budget {
  const budget = readBudget(parameters);
  if (budget.ok) return budget.value;
  const reason = `its parameters do not give the limit "${budget.fault.path.slice(1)}"`;
  throw new RunLogCorruptError(runId, 0, "stop_decisions", reason);
}
