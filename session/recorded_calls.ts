import { type PromptAssembly, wantedSummary } from "../logic/_assembly/mod.ts";
import type { RecordedAction, RecordedAnswer, RecordedCall, RecordedEffect } from "../ports/mod.ts";
import {
  type ActionRecord,
  InvalidRequestError,
  present,
  RunLogCorruptError,
  type StepRecord,
} from "../types/mod.ts";
import { applyRecorded } from "./_reading/apply_recorded.ts";
import { refuseRedacted } from "./_reading/refuse_redacted.ts";
import { requireLog, type RunLog } from "./read_log.ts";
import { assemblyOfLog } from "./rebuild_prompt.ts";

/**
 * The model calls of a recorded run, for `recordedModel` to answer them again: of each step what the model was sent, laid
 * out again and checked against the digest that was recorded, with its reply or what the call threw. Attempts that were
 * withdrawn are left out, and so are calls of which nobody knows the reply; calls that sum up steps are there. Every log is a recording: there is no other
 * way to make one.
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
  const { started: { inputs }, settings: { toolProtocol, modelBinding: binding } } = log;
  const tools = toolProtocol === "native" ? inputs?.tools : undefined;
  const calls: RecordedCall[] = [];
  for (const step of log.steps) {
    for (const call of summariesBefore(log, step, assembly)) {
      calls.push(Object.freeze({ ...call, binding }));
    }
    if (assembly.measure().promptDigest !== step.promptDigest) throw otherPrompt(log, step);
    const { reply, error } = step;
    const sent = present({
      key: keyOf(log, step.modelCallId),
      messages: assembly.messages(),
      tools,
      binding,
    });
    if (reply !== undefined) calls.push(Object.freeze({ ...sent, reply }));
    else if (error !== undefined) calls.push(Object.freeze({ ...sent, error }));
    assembly.addStep(step);
  }
  return Object.freeze(calls);
}

/** Makes the edits that are on record before a step's call; the calls that sum up steps, with what came of each. */
function summariesBefore(
  log: RunLog,
  { stepIndex, modelCallId }: StepRecord,
  assembly: PromptAssembly,
): readonly SummaryCall[] {
  const { contextPolicy } = log.settings;
  if (contextPolicy === undefined) return [];
  const calls: SummaryCall[] = [];
  let begun = 0;
  for (const edit of log.edits.filter((edit) => edit.stepIndex === stepIndex)) {
    const hadCall = edit.type === "context_edit"
      ? edit.stage === "summarise"
      : edit.callId !== undefined;
    const wanted = hadCall ? wantedSummary(assembly.view(), contextPolicy) : undefined;
    const callId = `${modelCallId}_c${begun}`;
    const reply = log.summaries.find((summary) => summary.callId === callId)?.reply;
    const error = edit.type === "context_edit_failed" ? edit.error : undefined;
    if (wanted !== undefined) {
      begun += 1;
      const sent = { key: keyOf(log, callId), messages: wanted.messages };
      if (reply !== undefined) calls.push({ ...sent, reply });
      else if (error !== undefined) calls.push({ ...sent, error });
    }
    if (edit.type === "context_edit") applyRecorded(log.runId, 0, assembly, edit);
  }
  return calls;
}

/** A call without tools, and what came of it. */
type SummaryCall = Pick<RecordedCall, "key" | "messages"> & RecordedAnswer;

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
  { runId, callEntries }: RunLog,
  { stepIndex }: StepRecord,
): RunLogCorruptError {
  const reason = `the steps before step ${stepIndex} do not give the prompt that it names`;
  return new RunLogCorruptError(runId, callEntries[stepIndex] ?? 0, "prompts", reason);
}
