import {
  type BetweenSteps,
  type CalledStep,
  type InStep,
  isOnlyWithdrawn,
  type WithdrawnStep,
} from "../../logic/_recovery/mod.ts";
import type { StopDecision } from "../../logic/_stopping/mod.ts";
import { callId } from "../../types/mod.ts";
import { assertKernel } from "../_live/kernel_fault.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { callModel } from "./call_model.ts";
import { endUnanswered } from "./end_step.ts";
import { finishRun } from "./finish_run.ts";
import { stopBeforeCall } from "./stop_before_call.ts";
import { isSuspending, suspend, type Suspension } from "./suspension.ts";

/** Where a run stands before a call. */
export function positionBeforeCall({ journal: { position } }: LiveRun): BetweenSteps | InStep {
  assertKernel(
    position.kind === "between_steps" || position.kind === "in_step",
    "Cannot call a model as no call comes next",
  );
  return position;
}

/**
 * Calls the model for the step that begins, unless the run ends.
 *
 * @param stop Why it ends.
 */
export function callFirst(
  live: LiveRun,
  stop: StopDecision | undefined,
): Promise<Suspension | undefined> {
  if (stop?.tier !== "A") emitReceipt(live, stop !== undefined);
  if (stop !== undefined) return finishRun(live, stop);
  live.events.emit({ type: "step_started", stepIndex: live.steps.length });
  return callForStep(live, 1);
}

/**
 * Calls the model again for a step that has no reply. It is checked against the budget like any call; where that
 * forbids it, the run ends from where it is, or after a step of which nobody knows the reply.
 */
export async function callAgain(
  live: LiveRun,
  step: CalledStep | WithdrawnStep,
): Promise<Suspension | undefined> {
  const stop = stopBeforeCall(live);
  if (stop !== undefined && isOnlyWithdrawn(step)) return await finishRun(live, stop);
  if (stop !== undefined) return await endUnanswered(live, "model_outcome_unknown");
  emitReceipt(live, false);
  return await callForStep(live, step.attempts + 1);
}

/** Makes the call whose prompt was edited; one that was too long and could not be edited has failed. */
export async function callEdited(live: LiveRun): Promise<Suspension | undefined> {
  if (isSuspending(live)) return await suspend(live);
  const position = positionBeforeCall(live);
  if (position.kind === "between_steps") return await callFirst(live, stopBeforeCall(live));
  const { open, pass } = position;
  assertKernel(
    open.phase === "withdrawn",
    "Cannot call a model again whose prompt was not too long",
  );
  return pass?.beforeChars === undefined
    ? await endUnanswered(live, "model_call_failed", open.withdrawn.error)
    : await callAgain(live, open);
}

/** Ends a run that must not call its model, or the step of which nobody knows the reply. */
export async function endWithoutCall(live: LiveRun, stop: StopDecision): Promise<undefined> {
  const position = positionBeforeCall(live);
  return position.kind === "between_steps" || isOnlyWithdrawn(position.open)
    ? await finishRun(live, stop)
    : await endUnanswered(live, "model_outcome_unknown");
}

function callForStep(live: LiveRun, attempt: number): Promise<Suspension | undefined> {
  const { assembly, steps, request: { runId }, toolProtocol, tools = [] } = live;
  const stepIndex = steps.length;
  const measure = assembly.measure();
  const sent = toolProtocol === "native" ? { tools } : {};
  const prompt = { measure, messages: assembly.messages(), ...sent };
  assembly.markSent();
  return callModel(live, { stepIndex, callId: callId(runId, stepIndex), attempt }, prompt);
}

function emitReceipt(live: LiveRun, overflows: boolean): void {
  const { assembly, events, request, steps } = live;
  if (!events.listening) return;
  const measure = assembly.measure();
  const limit = request.budget.maxPromptChars;
  events.emit({
    type: "prompt_assembled",
    stepIndex: steps.length,
    ...assembly.receipt(),
    ...measure,
    limit,
    verdict: overflows ? "context_overflow" : "fits",
    excess: Math.max(0, measure.promptChars - limit),
  });
}
