import { type CalledStep, isOnlyWithdrawn, type WithdrawnStep } from "../../logic/_recovery/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { callModel } from "./call_model.ts";
import { endUnanswered } from "./end_step.ts";
import { finishRun } from "./finish_run.ts";
import { stopBeforeCall } from "./stop_before_call.ts";
import { isSuspending, suspend, type Suspension } from "./suspension.ts";

/** C of the last step, A, assembly, B; then the model is called, unless one of them ends the run. */
export async function beginStep(live: LiveRun): Promise<Suspension | undefined> {
  const stop = stopBeforeCall(live);
  if (isSuspending(live) && stop?.tier !== "C") return await suspend(live);
  if (stop !== undefined && stop.tier !== "B") return await finishRun(live, stop);
  live.timer.restart();
  emitReceipt(live, stop !== undefined);
  if (stop !== undefined) return await finishRun(live, stop);
  const stepIndex = live.steps.length;
  live.events.emit({ type: "step_started", stepIndex });
  return await callModel(live, stepIndex, 1);
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
  return await callModel(live, step.stepIndex, step.attempts + 1);
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
