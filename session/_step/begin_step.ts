import type { CalledStep } from "../../logic/_recovery/mod.ts";
import { type StopDecision, stopDecision } from "../../logic/_stopping/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { callModel } from "./call_model.ts";
import { endUnanswered } from "./end_step.ts";
import { finishRun } from "./finish_run.ts";
import { type Suspension, suspensionOf } from "./interrupt_step.ts";

/** C of the last step, A, assembly, B; then the model is called, unless one of them ends the run. */
export async function beginStep(live: LiveRun): Promise<Suspension | undefined> {
  const stop = stopBeforeCall(live);
  const isSuspended = live.interrupt.aborted && live.options.onAbort === "suspend";
  if (isSuspended && stop?.tier !== "C") return suspensionOf(live);
  if (stop !== undefined && stop.tier !== "B") return await finishRun(live, stop);
  live.timer.restart();
  emitReceipt(live, stop !== undefined);
  if (stop !== undefined) return await finishRun(live, stop);
  const stepIndex = live.steps.length;
  live.events.emit({ type: "step_started", stepIndex });
  await callModel(live, stepIndex, 1);
}

/** A replay is checked against the budget like any call. */
export async function replayCall(live: LiveRun, step: CalledStep): Promise<undefined> {
  if (stopBeforeCall(live) !== undefined) return await endUnanswered(live, "model_outcome_unknown");
  emitReceipt(live, false);
  await callModel(live, step.stepIndex, step.attempts + 1);
}

function stopBeforeCall(live: LiveRun): StopDecision | undefined {
  const { journal, request, interrupt, assembly } = live;
  return stopDecision({
    budget: request.budget,
    tally: journal.position.tally,
    aborted: interrupt.aborted,
    promptChars: assembly.measure().promptChars,
  });
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
