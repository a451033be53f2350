import {
  emptyMeasure,
  measureWith,
  type PromptAssembly,
  type PromptMeasure,
  recordedSummaryPrompt,
  wantedSummary,
} from "../logic/_assembly/mod.ts";
import {
  type ContextPolicy,
  type ContextStage,
  InvalidRequestError,
  type Message,
  present,
  requireCount,
  RunLogCorruptError,
  type ToolSchema,
} from "../types/mod.ts";
import { applyRecorded } from "./_reading/apply_recorded.ts";
import { assemblyOfLog, sentTools } from "./_reading/assembly_of_log.ts";
import { isRedacted } from "./_reading/redacted.ts";
import { type LoggedCall, requireLog, type RunLog } from "./read_log.ts";

/** What was sent in a recorded call. */
export interface RebuiltCall {
  /** The call's id. */
  readonly callId: string;
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** What it is for, where that is not the step's decision. Absent: it is. */
  readonly purpose?: "summary";
  /** The messages. */
  readonly messages: readonly Message[];
  /** The tools that went along by the native protocol, in registry order; empty if none did. */
  readonly tools: readonly ToolSchema[];
  /** The size of all, in code points. */
  readonly promptChars: number;
  /** The size of the tools. */
  readonly toolsChars: number;
  /** The messages that edits made, in order; empty if there are none. */
  readonly edited: readonly EditedMessage[];
}

/** A message of a prompt that stands for something else of history. */
export interface EditedMessage {
  /** Its place in the prompt, from 0. */
  readonly message: number;
  /** The stage of the context policy that made it. */
  readonly stage: ContextStage["kind"];
  /** The first and the last step that it is of. */
  readonly steps: readonly [from: number, to: number];
  /** The size of what it stands for, in code points. */
  readonly originalSize: number;
}

/**
 * What the model saw: the prompt of a recorded call, laid out again from the log alone and checked against the digest
 * that was recorded before the call. That of a redacted log has the markers in it, and is checked against nothing.
 *
 * @param log A log that {@link readLog} read.
 * @param callIndex Which call, from 0, in the order of the model-call intents; a replay counts as a call of its own, and
 * so does a summary.
 * @throws {InvalidRequestError} If it is no such log, has no such call, or was recorded with `recordInputs: false`.
 * @throws {RunLogCorruptError} If the log does not give the prompt that it names.
 */
export function rebuildPrompt(log: RunLog, callIndex: number): readonly Message[] {
  return rebuildCall(log, callIndex).messages;
}

/**
 * What {@link rebuildPrompt} gives, with the tools that went along, the sizes, and which messages are notices of edits.
 *
 * @param log A log that {@link readLog} read.
 * @param callIndex Which call, as for {@link rebuildPrompt}.
 * @throws {InvalidRequestError} If it is no such log, has no such call, or was recorded with `recordInputs: false`.
 * @throws {RunLogCorruptError} If the log does not give the prompt that it names.
 */
export function rebuildCall(log: RunLog, callIndex: number): RebuiltCall {
  requireLog(log);
  requireCount("callIndex", callIndex);
  const assembly = assemblyOfLog(log.started);
  if (assembly === undefined) {
    throw new InvalidRequestError("log", log.runId, "it was recorded without its inputs");
  }
  const call = log.calls[callIndex];
  if (call === undefined) {
    const calls = log.calls.length;
    throw new InvalidRequestError("callIndex", callIndex, `the log has ${calls} model calls`);
  }
  const seq = log.callEntries[callIndex] ?? 0;
  layOut(log, call, assembly, seq);
  const rebuilt = call.purpose === undefined
    ? stepCall(log, assembly)
    : summaryCall(log, call, assembly, seq);
  if (rebuilt.promptDigest !== call.promptDigest && !isRedacted(log.started)) {
    const reason = "the steps before it do not give the prompt that it names";
    throw new RunLogCorruptError(log.runId, seq, "prompts", reason);
  }
  const { callId, stepIndex, purpose } = call;
  const { promptDigest: _, promptMessages: __, ...sent } = rebuilt;
  return Object.freeze(present({ callId, stepIndex, purpose, ...sent }));
}

/** The messages of history as they stand before a step, of a log with inputs, after so many of its edits. */
export function historyBefore(log: RunLog, stepIndex: number, edits: number): readonly Message[] {
  const assembly = assemblyOfLog(log.started);
  if (assembly === undefined) return [];
  const { promptMessages } = assembly.measure();
  layOut(log, { stepIndex, edits }, assembly, 0);
  return assembly.messages().slice(promptMessages);
}

/** Lays out the prompt that stood before a call, with the edits that came before it. */
function layOut(
  log: RunLog,
  call: Pick<LoggedCall, "stepIndex" | "edits">,
  assembly: PromptAssembly,
  seq: number,
): void {
  const edits = log.edits.slice(0, call.edits);
  let at = 0;
  const applyUntil = (stepIndex: number) => {
    for (
      let edit = edits[at];
      edit !== undefined && edit.stepIndex <= stepIndex;
      edit = edits[at]
    ) {
      if (edit.type === "context_edit") {
        applyRecorded(log.runId, seq, assembly, edit, isRedacted(log.started));
      }
      at += 1;
    }
  };
  for (const step of log.steps.slice(0, call.stepIndex)) {
    applyUntil(step.stepIndex);
    assembly.addStep(step);
  }
  applyUntil(call.stepIndex);
}

type Sent = Omit<RebuiltCall, "callId" | "stepIndex" | "purpose"> & PromptMeasure;

function stepCall({ started }: RunLog, assembly: PromptAssembly): Sent {
  return {
    ...assembly.measure(),
    messages: assembly.messages(),
    tools: sentTools(started),
    toolsChars: assembly.toolsChars,
    edited: Object.freeze(assembly.editedMessages()),
  };
}

/**
 * The prompt of a summary: what was to be summed up follows from the prompt and the policy; in a redacted log, whose sizes
 * are others, from the edit that the summary gave.
 */
function summaryCall(log: RunLog, call: LoggedCall, assembly: PromptAssembly, seq: number): Sent {
  const { contextPolicy } = log.settings;
  const isHidden = isRedacted(log.started);
  const messages = isHidden
    ? contextPolicy && redactedSummary(log, call, contextPolicy, assembly)
    : contextPolicy && wantedSummary(assembly.view(), contextPolicy)?.messages;
  if (messages === undefined && isHidden) {
    const detail = "it is redacted, and does not tell what a summary that failed was to sum up";
    throw new InvalidRequestError("log", log.runId, detail);
  }
  if (messages === undefined) {
    const reason = `there is nothing to sum up before step ${call.stepIndex}`;
    throw new RunLogCorruptError(log.runId, seq, "prompts", reason);
  }
  const measure = measureWith(emptyMeasure(0), messages);
  return { ...measure, messages, tools: [], toolsChars: 0, edited: [] };
}

function redactedSummary(
  log: RunLog,
  call: LoggedCall,
  policy: ContextPolicy,
  assembly: PromptAssembly,
): readonly Message[] | undefined {
  const edit = log.edits[call.edits];
  return edit?.type === "context_edit" && edit.stage === "summarise"
    ? recordedSummaryPrompt(policy, assembly.view(), edit.steps)
    : undefined;
}
