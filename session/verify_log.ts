import { historyMessages, measureWith, type PromptMeasure } from "../logic/_assembly/mod.ts";
import { type DecodedEntry, decodeLog } from "../logic/serialization/mod.ts";
import {
  type Budget,
  LOG_CHECKS,
  type LogCheck,
  type LogRecord,
  readBudget,
  readSettings,
  RunLogCorruptError,
  type RunStartedRecord,
  SchemaVersionError,
} from "../types/mod.ts";
import { checkPrompt } from "./_reading/check_prompt.ts";
import { foldLog } from "./_reading/fold_log.ts";
import { recordFault } from "./_reading/record_fault.ts";
import { startedRecordOf } from "./_reading/started_record_of.ts";
import { runIdOf } from "./read_log.ts";
import { assemblyOfLog, historyStyleOf } from "./rebuild_prompt.ts";

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
export const LOG_UNKNOWNS = ["end", "cancellation", "answers"] as const;

/**
 * What no log can tell of itself:
 *
 * - `end` whether whole entries were cut off its end, or it was hashed anew: its head, held against the one that the
 *   run's result gave, tells
 * - `cancellation` whether the run was cancelled when it says so
 * - `answers` what model and environment really answered
 */
export type LogUnknown = (typeof LOG_UNKNOWNS)[number];

/** What {@link verifyLog} found. */
export type LogVerdict =
  | {
    /** Everything that could be derived again is as recorded. */
    readonly ok: true;
    /** There is none. */
    readonly fault?: undefined;
    /** What was derived again. */
    readonly checked: readonly LogCheck[];
    /** What was not: `inputs` where none were recorded, and what no log can tell. */
    readonly unchecked: readonly (LogCheck | LogUnknown)[];
  }
  | {
    /** Something is not as it must be. */
    readonly ok: false;
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
 * Derives again all that a log can decide about itself, and says what it cannot. Never throws.
 *
 * @param lines The log's lines in order, each without LF: what `RunStore.readRun` gives.
 */
export function verifyLog(lines: readonly string[]): LogVerdict {
  const runId = runIdOf(lines);
  try {
    return verify(runId, decodeLog(runId, lines))
      ? { ok: true, checked: LOG_CHECKS, unchecked: LOG_UNKNOWNS }
      : { ok: true, checked: WITHOUT_INPUTS, unchecked: [...LOG_UNKNOWNS, "inputs"] };
  } catch (error) {
    if (!(error instanceof RunLogCorruptError || error instanceof SchemaVersionError)) throw error;
    const { seq, message } = error;
    const code = error instanceof RunLogCorruptError ? error.check : "schema_version";
    const unchecked = [...LOG_CHECKS, ...LOG_UNKNOWNS];
    return { ok: false, fault: { seq, code, message }, checked: [], unchecked };
  }
}

/** Throws at the first fault; tells whether the inputs were recorded. */
function verify(runId: string, entries: readonly DecodedEntry[]): boolean {
  const started = startedRecordOf(runId, entries);
  const budget = budgetOf(started);
  const settings = readSettings(started.parameters);
  const style = historyStyleOf(started);
  let prompt: PromptMeasure | undefined = assemblyOfLog(started)?.measure();
  if (prompt !== undefined && prompt.promptDigest !== started.contextDigest) {
    throw new RunLogCorruptError(
      runId,
      0,
      "inputs",
      "its context digest is not that of its inputs",
    );
  }
  foldLog(runId, entries, (record, place) => {
    const { seq, ended } = place;
    if (ended !== undefined && prompt !== undefined) {
      const added = historyMessages(ended, style);
      prompt = measureWith(prompt, added.map(({ message }) => message));
    }
    if (record.type === "model_call_intent") checkPrompt(runId, seq, record, prompt ??= record);
    const fault = recordFault(record, place, { started, settings, budget, prompt });
    if (fault !== undefined) throw new RunLogCorruptError(runId, seq, fault.check, fault.reason);
  });
  const crowded = entries.find(({ records }) => records.filter(isIntent).length > 1);
  if (crowded !== undefined) {
    throw new RunLogCorruptError(runId, crowded.seq, "grammar", "it has two intents");
  }
  return started.inputs !== undefined;
}

function isIntent(record: LogRecord): boolean {
  return record.type === "model_call_intent" || record.type === "action_intent";
}

function budgetOf({ runId, parameters }: RunStartedRecord): Budget {
  const budget = readBudget(parameters);
  if (budget.ok) return budget.value;
  const reason = `its parameters do not give the limit "${budget.fault.path.slice(1)}"`;
  throw new RunLogCorruptError(runId, 0, "stop_decisions", reason);
}
