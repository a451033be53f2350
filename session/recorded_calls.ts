import { type PromptAssembly, wantedSummary } from "../logic/_assembly/mod.ts";
import type { RecordedAction, RecordedAnswer, RecordedCall, RecordedEffect } from "../ports/mod.ts";
import {
  type ActionRecord,
  type ErrorInfo,
  InvalidRequestError,
  present,
  RunLogCorruptError,
  type StepRecord,
} from "../types/mod.ts";
import { applyRecorded } from "./_reading/apply_recorded.ts";
import { assemblyOfLog } from "./_reading/assembly_of_log.ts";
import { refuseRedacted } from "./_reading/redacted.ts";
import { requireLog, type RunLog } from "./read_log.ts";

/**
 * The model calls of a recorded run, for `recordedModel` to answer them again: of each step what the model was sent, laid
 * out again and checked against the digest that was recorded, with its reply or what the call threw. Attempts that were
 * withdrawn are left out, but for one whose prompt was too long for the model, which is why it was shortened; so are calls
 * of which nobody knows the reply. Calls that sum up steps are there. Every log is a recording: there is no other way to
 * make one.
 *
 * @param log A log that `readLog` read.
 * @throws {InvalidRequestError} If it is none, is redacted, or was recorded with `recordInputs: false`.
 * @throws {RunLogCorruptError} If the log does not give the prompts that it names.
 */
export function recordedCalls(log: RunLog): readonly RecordedCall[] {
  requireLog(log);
  refuseRedacted(log.started);
  const assembly = assemblyOfLog(log.started);
  if (assembly === undefined) {
    throw new InvalidRequestError("log", log.runId, "it was recorded without its inputs");
  }
  return Object.freeze([...callsOf(log, assembly)]);
}

function* callsOf(log: RunLog, assembly: PromptAssembly): Iterable<RecordedCall> {
  for (const step of log.steps) {
    yield* callsBefore(log, step.stepIndex, assembly);
    if (assembly.measure().promptDigest !== step.promptDigest) throw otherPrompt(log, step);
    const { reply, error } = step;
    const sent = sentOf(log, step.stepIndex, assembly);
    if (reply !== undefined) yield Object.freeze({ ...sent, reply });
    else if (error !== undefined) yield Object.freeze({ ...sent, error });
    assembly.addStep(step);
  }
  yield* callsBefore(log, log.steps.length, assembly);
}

/** A step's call with the prompt as it now stands. */
function sentOf(log: RunLog, stepIndex: number, assembly: PromptAssembly): SentCall {
  const { started: { inputs }, settings: { toolProtocol, modelBinding: binding } } = log;
  const tools = toolProtocol === "native" ? inputs?.tools : undefined;
  return present({ key: `s${stepIndex}`, messages: assembly.messages(), tools, binding });
}

/**
 * Makes the edits that are on record before a step's call. Gives the calls that sum up steps, with what came of each; and
 * the call whose prompt was too long for the model, since what it threw is why the prompt was edited once more.
 */
function* callsBefore(
  log: RunLog,
  stepIndex: number,
  assembly: PromptAssembly,
): Iterable<RecordedCall> {
  const { contextPolicy, modelBinding: binding } = log.settings;
  if (contextPolicy === undefined) return;
  const tooLong = tooLongCall(log, stepIndex);
  let begun = 0;
  for (const [i, edit] of log.edits.entries()) {
    if (edit.stepIndex !== stepIndex) continue;
    if (i === tooLong?.edits) {
      yield Object.freeze({ ...sentOf(log, stepIndex, assembly), error: tooLong.error });
    }
    const wanted = hadCall(edit) ? wantedSummary(assembly.view(), contextPolicy) : undefined;
    if (wanted !== undefined) {
      const key = `s${stepIndex}_c${begun++}`;
      const answer = summaryAnswer(log, key, edit);
      const { messages } = wanted;
      if (answer !== undefined) yield Object.freeze({ key, messages, binding, ...answer });
    }
    if (edit.type === "context_edit") applyRecorded(log.runId, 0, assembly, edit);
  }
}

/** The call that a step's prompt was too long for, and how many edits had been made by then. */
function tooLongCall(
  { calls, edits, withdrawals }: RunLog,
  step: number,
): { readonly edits: number; readonly error: ErrorInfo } | undefined {
  const first = calls.find(({ stepIndex, purpose }) => stepIndex === step && purpose === undefined);
  if (first === undefined) return undefined;
  const isShortened = edits.slice(first.edits).some(({ stepIndex }) => stepIndex === step);
  const error = withdrawals.find(({ callId, error }) =>
    callId === first.callId && error?.kind === "context_length"
  )?.error;
  return isShortened && error !== undefined ? { edits: first.edits, error } : undefined;
}

/** Whether a model was asked to sum up steps for an edit. */
function hadCall(edit: RunLog["edits"][number]): boolean {
  return edit.type === "context_edit" ? edit.stage === "summarise" : edit.callId !== undefined;
}

function summaryAnswer(
  log: RunLog,
  key: string,
  edit: RunLog["edits"][number],
): RecordedAnswer | undefined {
  const reply = log.summaries.find(({ callId }) => keyOf(log, callId) === key)?.reply;
  if (reply !== undefined) return { reply };
  const error = edit.type === "context_edit_failed" ? edit.error : undefined;
  return error && { error };
}

/** A call without what came of it. */
type SentCall = Omit<RecordedCall, "reply" | "error">;

/**
 * The actions of a recorded run that its executor was given and that came to something, for `recordedExecutor` to give
 * their outcomes again. Those that were refused or skipped before, and those of which nobody knows the outcome, are left
 * out.
 *
 * @param log A log that `readLog` read.
 * @throws {InvalidRequestError} If it is none, or is redacted.
 */
export function recordedActions(log: RunLog): readonly RecordedAction[] {
  requireLog(log);
  refuseRedacted(log.started);
  const actions = log.steps.flatMap((step) => step.actions);
  return Object.freeze(actions.flatMap((action) => recordedAction(log, action) ?? []));
}

function recordedAction(log: RunLog, record: ActionRecord): RecordedAction | undefined {
  const effect = effectOf(record);
  if (record.attempts === 0 || effect === undefined) return undefined;
  const { actionId, action, toolName, toolCompletes } = record;
  return Object.freeze(present(
    {
      key: keyOf(log, actionId),
      action,
      toolName,
      replayPolicy: log.replayable.includes(actionId) ? "replayable" : "never",
      concurrent: log.concurrent.includes(actionId),
      toolCompletes,
      ...effect,
    } as const,
  ));
}

/** What the executor gave. An error with the library's own words is one that it threw. */
function effectOf(record: ActionRecord): RecordedEffect | undefined {
  const { observation, observationSynthetic, truncatedChars } = record;
  const observed = { observation, observationSynthetic, truncatedChars };
  switch (record.status) {
    case "unknown":
      return undefined;
    case "not_executed":
      return record.denial === undefined
        ? { outcome: { status: record.status, ...observed } }
        : undefined;
    case "environment_failed": {
      const { status, error, effect } = record;
      if (error !== undefined && observationSynthetic) return { error };
      return { outcome: present({ status, ...observed, error, effect }) };
    }
    case "executed": {
      const { status, completed } = record;
      return record.failed
        ? {
          outcome: present({
            status,
            ...observed,
            completed,
            failed: record.failed,
            error: record.error,
          }),
        }
        : { outcome: { status, ...observed, completed, failed: false } };
    }
  }
}

/** An id without the run's own. */
function keyOf({ runId }: RunLog, id: string): string {
  return id.slice(runId.length + 1);
}

function otherPrompt(
  { runId, calls, callEntries }: RunLog,
  { stepIndex, modelCallId }: StepRecord,
): RunLogCorruptError {
  const seq = callEntries[calls.findLastIndex(({ callId }) => callId === modelCallId)] ?? 0;
  const reason = `the steps before step ${stepIndex} do not give the prompt that it names`;
  return new RunLogCorruptError(runId, seq, "prompts", reason);
}
