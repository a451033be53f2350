import type { PromptMeasure } from "../../logic/_assembly/mod.ts";
import type { OpenCall } from "../../logic/_recovery/mod.ts";
import type { ModelCall, ModelDelta } from "../../ports/mod.ts";
import {
  type ErrorInfo,
  errorInfo,
  type Message,
  type ModelReply,
  present,
  type ToolSchema,
} from "../../types/mod.ts";
import type { Settled } from "../_live/interrupt.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitDelta, admitReply } from "../_live/port_admission.ts";
import { forcedEdit } from "../_reading/due_edit.ts";
import { endUnanswered } from "./end_step.ts";
import { failSummary } from "./fail_summary.ts";
import { isSuspending, suspend, type Suspension } from "./suspension.ts";

/** Which call of the model it is. */
export interface CallIdentity {
  readonly stepIndex: number;
  readonly callId: string;
  readonly attempt: number;
  /** Absent: the call is the step's own. */
  readonly purpose?: "summary";
}

/** What a call sends. */
export interface SentPrompt {
  readonly measure: PromptMeasure;
  readonly messages: readonly Message[];
  /** Absent: none go along. */
  readonly tools?: readonly ToolSchema[];
}

/**
 * Writes the intent, calls the model, and gathers its reply. A call that fails ends the step, and one that an abort cut
 * leaves it open; where the run is suspended for either, the call is withdrawn.
 */
export async function callModel(
  live: LiveRun,
  which: CallIdentity,
  prompt: SentPrompt,
): Promise<Suspension | undefined> {
  const { journal, clock } = live;
  journal.record({ type: "model_call_intent", ...which, ...prompt.measure, at: clock.iso() });
  await journal.flush();
  const startedMs = clock.ms();
  const settled = await askModel(live, which, prompt);
  const durationMs = clock.ms() - startedMs;
  emitFinished(live, which, settled, durationMs);
  if (settled.kind === "abandoned") live.abandoned.push(which.callId);
  if (settled.kind === "returned") {
    const knewUsage = !journal.position.tally.hasUnknownUsage;
    journal.record({ type: "model_reply", ...which, reply: settled.value });
    if (knewUsage) emitUnknownUsage(live, which);
    return undefined;
  }
  return await giveUp(live, which, settled, durationMs);
}

/** What becomes of a call that brought no reply. */
async function giveUp(
  live: LiveRun,
  which: CallIdentity,
  settled: Exclude<Settled<ModelReply>, { readonly kind: "returned" }>,
  durationMs: number,
): Promise<Suspension | undefined> {
  const { journal, clock, options, interrupt } = live;
  const failed = settled.kind === "threw";
  const error = failed ? errorInfo(settled.error) : undefined;
  // A call that failed of itself in the meantime is withdrawn, too: a port that makes several attempts made no further.
  const isCut = isSuspending(live);
  if (!isCut && !failed) return undefined;
  const isToBeShorter = !isCut && error?.kind === "context_length" && isEditable(live);
  const mayBeEdited = isToBeShorter && which.purpose === undefined && canShorten(live);
  if (!isCut && !mayBeEdited && (isToBeShorter || options.onModelFailure !== "suspend")) {
    return await failCall(live, which, error);
  }
  const reason = isCut ? "suspended" : "failed";
  const withdrawn = { ...which, reason, error, durationMs, at: clock.iso() } as const;
  journal.record(present({ type: "model_call_withdrawn", ...withdrawn } as const));
  if (mayBeEdited) return undefined;
  // An abort that came with the failure ends the run: there is nobody who would make the call again.
  if (!isCut && interrupt.aborted) return undefined;
  const suspension = await suspend(live);
  return failed && !isCut
    ? { ...suspension, why: "model_call_failed", cause: settled.error }
    : suspension;
}

/** Whether the run has a policy to make a prompt shorter that is too long for the model: asking again is in vain. */
function isEditable({ request }: LiveRun): boolean {
  return request.contextPolicy !== undefined;
}

/** Whether the prompt of the open step, which is too long for the model, can be edited: once. */
function canShorten({ journal: { position }, assembly }: LiveRun): boolean {
  return position.kind === "in_step" && !position.open.isShortened &&
    forcedEdit(position, assembly) !== undefined;
}

function openSummary({ journal: { position } }: LiveRun): OpenCall | undefined {
  return "pass" in position ? position.pass?.summary : undefined;
}

/** A step's call that failed ends the step; a summary's, the summary. */
async function failCall(
  live: LiveRun,
  { purpose }: CallIdentity,
  error: ErrorInfo | undefined,
): Promise<undefined> {
  if (purpose === undefined) return await endUnanswered(live, "model_call_failed", error);
  return failSummary(live, openSummary(live), "call_failed", error);
}

async function askModel(
  live: LiveRun,
  which: CallIdentity,
  { messages, tools }: SentPrompt,
): Promise<Settled<ModelReply>> {
  const { request, events, agent } = live;
  const { stepIndex, callId, attempt, purpose } = which;
  let listening = events.listening && purpose === undefined;
  const onDelta = (delta: ModelDelta) => {
    const admitted = listening ? admitDelta(delta) : undefined;
    if (admitted !== undefined) {
      events.emit({ type: "model_delta", stepIndex, callId, ...admitted });
    }
  };
  if (!live.interrupt.aborted) events.emit({ type: "model_call_started", ...which });
  const settled = await live.interrupt.settle(async (signal) => {
    const call: ModelCall = {
      callId,
      attempt,
      messages,
      binding: request.modelBinding,
      signal,
      draining: live.interrupt.draining,
      ...present({ tools, onDelta: listening ? onDelta : undefined }),
    };
    return admitReply(await agent.model.call(Object.freeze(call)));
  });
  listening = false;
  return settled;
}

/** Tells of the first reply of a run that a limit of tokens cannot count. */
function emitUnknownUsage(
  { journal, request, events }: LiveRun,
  { stepIndex, callId }: CallIdentity,
): void {
  if (request.budget.maxTotalTokens === undefined) return;
  const { hasUnknownUsage } = journal.position.tally;
  if (hasUnknownUsage) events.emit({ type: "usage_unknown", stepIndex, callId });
}

function emitFinished(
  live: LiveRun,
  which: CallIdentity,
  settled: Settled<ModelReply>,
  durationMs: number,
): void {
  if (settled.kind === "not_started" || !live.events.listening) return;
  const finished = { type: "model_call_finished", ...which, durationMs } as const;
  if (settled.kind === "returned") {
    const { finishReason, usage, servedModel, responseId } = settled.value;
    const told = { finishReason, usage, servedModel, responseId };
    live.events.emit(present({ ...finished, outcome: "replied", ...told } as const));
  } else if (settled.kind === "threw") {
    live.events.emit({ ...finished, outcome: "failed", error: errorInfo(settled.error) });
  } else {
    live.events.emit({ ...finished, outcome: isSuspending(live) ? "withdrawn" : "unknown" });
  }
}
