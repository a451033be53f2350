import { historyMessages, measureWith, type PromptMeasure } from "../logic/_assembly/mod.ts";
import { type DecodedEntry, decodeLog } from "../logic/serialization/mod.ts";
import type { Tally } from "../logic/_recovery/mod.ts";
import { stopDecision } from "../logic/_stopping/mod.ts";
import {
  type Budget,
  isSameJson,
  LOG_CHECKS,
  type LogCheck,
  type LogRecord,
  type ModelCallIntentRecord,
  type RunFinishedRecord,
  RunLogCorruptError,
  type RunStartedRecord,
  SchemaVersionError,
} from "../types/mod.ts";
import { checkPrompt } from "./_reading/check_prompt.ts";
import { foldLog, type RecordPlace } from "./_reading/fold_log.ts";
import { inputParameters } from "./_start/snapshot.ts";
import { stepFault } from "./_reading/step_fault.ts";
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
  const started = entries[0]?.records[0];
  if (started?.type !== "run_started") {
    throw new RunLogCorruptError(runId, 0, "grammar", "it does not begin with the started record");
  }
  const budget = budgetOf(runId, started.parameters);
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
    const fault = recordFault(record, place, started, budget, prompt);
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

const LIMIT_KEY = /^request\.budget\.(.+)$/;
const WHOLE_NUMBER = /^(0|[1-9]\d*)$/;

function budgetOf(runId: string, parameters: Readonly<Record<string, string>>): Budget {
  const limits: Record<string, number> = {};
  for (const [key, value] of Object.entries(parameters)) {
    const name = LIMIT_KEY.exec(key)?.[1]?.replace(/_[a-z]/g, (part) => part[1]!.toUpperCase());
    if (name !== undefined) limits[name] = WHOLE_NUMBER.test(value) ? Number(value) : NaN;
  }
  const { maxSteps, maxModelCalls, maxPromptChars, maxConsecutiveFailures, ...optional } = limits;
  const required = { maxSteps, maxModelCalls, maxPromptChars, maxConsecutiveFailures };
  for (const [name, limit] of Object.entries({ ...required, ...optional })) {
    if (limit === undefined || Number.isNaN(limit)) {
      const reason = `its parameters do not give the limit "${name}"`;
      throw new RunLogCorruptError(runId, 0, "stop_decisions", reason);
    }
  }
  return { ...optional, ...required } as Budget;
}

interface RecordFault {
  readonly check: LogCheck;
  readonly reason: string;
}

/** Why a record that may stand where it does is not what the kernel would have written there. */
function recordFault(
  record: LogRecord,
  { before: { tally }, ended }: RecordPlace,
  started: RunStartedRecord,
  budget: Budget,
  prompt: PromptMeasure | undefined,
): RecordFault | undefined {
  switch (record.type) {
    case "run_started":
      return failing("inputs", inputsFault(record));
    case "model_call_intent":
      return failing("stop_decisions", passedOverFault(record, tally, budget)) ??
        failing("prompts", firstPromptFault(record, tally, started));
    case "run_finished":
      return finishFault(record, tally, budget, prompt);
    default:
      return ended && failing("step_words", stepFault(ended, started.parameters));
  }
}

function failing(check: LogCheck, reason: string | undefined): RecordFault | undefined {
  return reason === undefined ? undefined : { check, reason };
}

/** The snapshot names the injections and the tools that the inputs hold. */
function inputsFault({ inputs, parameters }: RunStartedRecord): string | undefined {
  if (inputs === undefined) return undefined;
  const { injections, tools } = inputs;
  const held = inputParameters(injections, tools?.map(({ name }) => name));
  const named = Object.entries(parameters).filter(([key]) => INPUT_KEY.test(key));
  return isSameJson(held, Object.fromEntries(named))
    ? undefined
    : "its parameters name other injections or tools than its inputs hold";
}

const INPUT_KEY = /^request\.(tools$|injected_entry_ids\.)/;

/** A call stands where no stop condition holds. */
function passedOverFault(
  { promptChars }: ModelCallIntentRecord,
  tally: Tally,
  budget: Budget,
): string | undefined {
  const passedOver = stopDecision({ budget, tally, aborted: false, promptChars });
  return passedOver === undefined
    ? undefined
    : `a model is called in spite of ${passedOver.conditions.join(", ")}`;
}

/** The first call's prompt is the context. */
function firstPromptFault(
  { promptDigest }: ModelCallIntentRecord,
  { last }: Tally,
  { contextDigest }: RunStartedRecord,
): string | undefined {
  return last === undefined && promptDigest !== contextDigest
    ? "the first prompt has not the context digest"
    : undefined;
}

/** The run ends for the reasons that its log gives, and with nothing that its log does not. */
function finishFault(
  record: RunFinishedRecord,
  tally: Tally,
  budget: Budget,
  prompt: PromptMeasure | undefined,
): RecordFault | undefined {
  const { stopReason, promptChars = 0 } = record;
  const aborted = stopReason === "cancelled";
  const stop = stopDecision({ budget, tally, aborted, promptChars });
  const expected: readonly string[] = stop?.conditions ?? [];
  if (!isSameJson(record.stopConditions, expected)) {
    const given = expected.join(", ") || "no reason";
    const reason = `the run must not end for ${
      record.stopConditions.join(", ")
    }: its log gives ${given}`;
    return { check: "stop_decisions", reason };
  }
  const overflow = expected.includes("context_overflow")
    ? prompt?.promptChars ?? record.promptChars
    : undefined;
  if (record.promptChars !== overflow) {
    return { check: "finish", reason: "it names another size of the last prompt" };
  }
  if (record.abandoned.length > 0 && `${record.abandoned}` !== unknownId(tally)) {
    return { check: "finish", reason: `${record.abandoned.join(", ")} cannot have been given up` };
  }
  return failing("finish", answerFault(record, tally));
}

/** The id of the call or the action that a cancelled step left unknown; there is one at most. */
function unknownId({ last }: Tally): string | undefined {
  if (last?.outcome !== "cancelled") return undefined;
  return last.reply === undefined
    ? last.modelCallId
    : last.actions.find(({ status }) => status === "unknown")?.actionId;
}

function answerFault(
  { answer, stopConditions }: RunFinishedRecord,
  { last }: Tally,
): string | undefined {
  const decision = stopConditions.includes("final_answer") ? last?.decision : undefined;
  const expected = decision?.kind === "final_answer" ? decision.answer : undefined;
  if (expected === undefined || answer === undefined) {
    return expected === answer ? undefined : "its answer is not that of a final answer";
  }
  return isSameJson(expected, answer) ? undefined : "its answer is not the decision's";
}
