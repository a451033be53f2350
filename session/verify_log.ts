import { historyMessages, measureWith, type PromptMeasure } from "../logic/_assembly/mod.ts";
import { type DecodedEntry, decodeLog } from "../logic/serialization/mod.ts";
import type { Position } from "../logic/_recovery/mod.ts";
import { stopDecision } from "../logic/_stopping/mod.ts";
import {
  type Budget,
  canonicalJson,
  type LogRecord,
  type ModelCallIntentRecord,
  type RunFinishedRecord,
  RunLogCorruptError,
  type RunStartedRecord,
  SchemaVersionError,
} from "../types/mod.ts";
import { checkPrompt, foldLog, type RecordPlace } from "./_reading/replay.ts";
import { inputParameters } from "./_start/snapshot.ts";
import { stepFault } from "./_reading/step_fault.ts";
import { runIdOf } from "./read_log.ts";
import { assemblyOfLog, historyStyleOf } from "./rebuild_prompt.ts";

/** The first thing in a log that is not as it must be. */
export interface LogFault {
  /** The entry that it is in, from 0. */
  readonly seq: number;
  /** The name of the error that a reader of the log would throw. */
  readonly error: string;
  /** What is wrong, in words. */
  readonly message: string;
}

/** What {@link verifyLog} found. */
export interface LogVerdict {
  /** Whether everything that could be derived again is as recorded. */
  readonly ok: boolean;
  /** The first fault. Absent: there is none. */
  readonly fault?: LogFault;
  /** What was derived again, in words. */
  readonly checked: readonly string[];
  /** What a log cannot tell of itself, in words. */
  readonly unchecked: readonly string[];
}

const CHECKED = [
  "the hash chain and the framing of every entry",
  "the schema and the shape of every record",
  "the grammar of steps, with ids, indices, ordinals and attempts",
  "what each step shows the model in the library's own words, and who denied or skipped its actions",
  "the counters, the answer and the given-up id of the finished record",
  "every stop decision: that no limit was passed over, and why the run ended",
  "digest and size of every prompt",
];
const UNCHECKED = [
  "whether whole entries were cut off the end, or the log was hashed anew: hold its head against the recorded one",
  "whether the run was cancelled when it says so",
  "what model and environment really answered",
];
const WITHOUT_INPUTS =
  "digest and size of the context, which was recorded without its inputs: the first call's are taken for them";

/**
 * Derives again all that a log can decide about itself, and says what it cannot. Never throws.
 *
 * @param lines The log's lines in order, each without LF: what `RunStore.readRun` gives.
 */
export function verifyLog(lines: readonly string[]): LogVerdict {
  const runId = runIdOf(lines);
  try {
    const hasInputs = verify(runId, decodeLog(runId, lines));
    return {
      ok: true,
      checked: CHECKED,
      unchecked: hasInputs ? UNCHECKED : [...UNCHECKED, WITHOUT_INPUTS],
    };
  } catch (error) {
    if (!(error instanceof RunLogCorruptError || error instanceof SchemaVersionError)) throw error;
    const { seq, name, message } = error;
    return { ok: false, fault: { seq, error: name, message }, checked: [], unchecked: UNCHECKED };
  }
}

/** Throws at the first fault; tells whether the inputs were recorded. */
function verify(runId: string, entries: readonly DecodedEntry[]): boolean {
  const started = entries[0]?.records[0];
  if (started?.type !== "run_started") {
    throw new RunLogCorruptError(runId, 0, "it does not begin with the started record");
  }
  const budget = budgetOf(runId, started.parameters);
  const style = historyStyleOf(started);
  let prompt: PromptMeasure | undefined = assemblyOfLog(started)?.measure();
  if (prompt !== undefined && prompt.promptDigest !== started.contextDigest) {
    throw new RunLogCorruptError(runId, 0, "its context digest is not that of its inputs");
  }
  foldLog(runId, entries, (record, place) => {
    const { seq, after } = place;
    if (record.type === "step" && prompt !== undefined) {
      const added = historyMessages(after.last!, style);
      prompt = measureWith(prompt, added.map(({ message }) => message));
    }
    if (record.type === "model_call_intent") checkPrompt(runId, seq, record, prompt ??= record);
    const fault = recordFault(record, place, budget, prompt);
    if (fault !== undefined) throw new RunLogCorruptError(runId, seq, fault);
  });
  const crowded = entries.find(({ records }) => records.filter(isIntent).length > 1);
  if (crowded !== undefined) throw new RunLogCorruptError(runId, crowded.seq, "it has two intents");
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
      throw new RunLogCorruptError(runId, 0, `its parameters do not give the limit "${name}"`);
    }
  }
  return { ...optional, ...required } as Budget;
}

/** Why a record that may stand where it does is not what the kernel would have written there. */
function recordFault(
  record: LogRecord,
  { before, after }: RecordPlace,
  budget: Budget,
  prompt: PromptMeasure | undefined,
): string | undefined {
  switch (record.type) {
    case "run_started":
      return inputsFault(record);
    case "model_call_intent":
      return callFault(record, before, budget);
    case "step":
      return stepFault(after.last!, after.started!.parameters);
    case "run_finished":
      return finishFault(record, before, budget, prompt);
    default:
      return undefined;
  }
}

/** The snapshot names the injections and the tools that the inputs hold. */
function inputsFault({ inputs, parameters }: RunStartedRecord): string | undefined {
  if (inputs === undefined) return undefined;
  const { injections, tools } = inputs;
  const held = inputParameters(injections, tools?.map(({ name }) => name));
  const named = Object.entries(parameters).filter(([key]) => INPUT_KEY.test(key));
  return canonicalJson(held) === canonicalJson(Object.fromEntries(named))
    ? undefined
    : "its parameters name other injections or tools than its inputs hold";
}

const INPUT_KEY = /^request\.(tools$|injected_entry_ids\.)/;

/** A call stands where no stop condition holds, and the first one's prompt is the context. */
function callFault(
  { promptChars, promptDigest }: ModelCallIntentRecord,
  before: Position,
  budget: Budget,
): string | undefined {
  const passedOver = stopDecision({ budget, tally: before, aborted: false, promptChars });
  if (passedOver !== undefined) {
    return `a model is called in spite of ${passedOver.conditions.join(", ")}`;
  }
  return before.last === undefined && promptDigest !== before.started!.contextDigest
    ? "the first prompt has not the context digest"
    : undefined;
}

/** The run ends for the reasons that its log gives, and with nothing that its log does not. */
function finishFault(
  record: RunFinishedRecord,
  before: Position,
  budget: Budget,
  prompt: PromptMeasure | undefined,
): string | undefined {
  const { stopReason, promptChars = 0 } = record;
  const aborted = stopReason === "cancelled";
  const stop = stopDecision({ budget, tally: before, aborted, promptChars });
  const expected: readonly string[] = stop?.conditions ?? [];
  if (canonicalJson(record.stopConditions) !== canonicalJson(expected)) {
    return `the run must not end for ${record.stopConditions.join(", ")}: its log gives ${
      expected.join(", ") || "no reason"
    }`;
  }
  const overflow = expected.includes("context_overflow")
    ? prompt?.promptChars ?? record.promptChars
    : undefined;
  if (record.promptChars !== overflow) return "it names another size of the last prompt";
  if (record.abandoned.length > 0 && `${record.abandoned}` !== unknownId(before)) {
    return `${record.abandoned.join(", ")} cannot have been given up`;
  }
  return answerFault(record, before);
}

/** The id of the call or the action that a cancelled step left unknown; there is one at most. */
function unknownId({ last }: Position): string | undefined {
  if (last?.outcome !== "cancelled") return undefined;
  return last.reply === undefined
    ? last.modelCallId
    : last.actions.find(({ status }) => status === "unknown")?.actionId;
}

function answerFault(
  { answer, stopConditions }: RunFinishedRecord,
  { last }: Position,
): string | undefined {
  const decision = stopConditions.includes("final_answer") ? last?.decision : undefined;
  const expected = decision?.kind === "final_answer" ? decision.answer : undefined;
  if (expected === undefined || answer === undefined) {
    return expected === answer ? undefined : "its answer is not that of a final answer";
  }
  return canonicalJson(expected) === canonicalJson(answer)
    ? undefined
    : "its answer is not the decision's";
}
