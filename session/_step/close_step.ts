import { actedOutcome, actionId, plannedActions } from "../../logic/_recovery/mod.ts";
import { type ActionResult, type ErrorInfo, present, type StepOutcome } from "../../types/mod.ts";
import { type LiveRun, openStep } from "../_live/live_run.ts";

/** What ends a step beside its outcome. */
interface StepEnd {
  readonly observation?: string | undefined;
  readonly observationSynthetic?: boolean | undefined;
  readonly error?: ErrorInfo | undefined;
}

/** Gathers the result of the next action. */
export function recordResult(live: LiveRun, result: ActionResult): void {
  const { stepIndex, settled } = openStep(live);
  const ordinal = settled.length;
  const id = actionId(live.request.runId, stepIndex, ordinal);
  live.journal.record({ type: "action_result", stepIndex, ordinal, actionId: id, ...result });
  const { status, failed, durationMs } = result;
  live.events.emit({
    type: "action_finished",
    stepIndex,
    ordinal,
    actionId: id,
    status,
    failed,
    durationMs,
  });
}

/** The result of an action that the library itself speaks for. */
export function syntheticResult(
  status: "not_executed" | "unknown",
  observation: string,
  more: Pick<ActionResult, "denial" | "resolvedBy"> = {},
): ActionResult {
  return {
    status,
    failed: false,
    observation,
    observationSynthetic: true,
    completed: false,
    toolCompletes: false,
    truncatedChars: 0,
    durationMs: 0,
    ...more,
  };
}

/** Writes the end of a step whose decision is settled: its outcome is its own. */
export async function recordStep(live: LiveRun): Promise<void> {
  skipRemainingActions(live);
  const { decision, settled } = openStep(live);
  switch (decision!.decision.kind) {
    case "final_answer":
      return await endStep(live, "final_answer");
    case "invalid": {
      const { explanation } = decision!.decision;
      const synthetic = explanation === live.agent.syntheticObservations.severalActions;
      return await endStep(live, "invalid_decision", {
        observation: explanation,
        observationSynthetic: synthetic,
      });
    }
    case "action":
      return await endStep(live, actedOutcome(settled));
  }
}

/** Writes the end of a step. */
export async function endStep(
  live: LiveRun,
  outcome: StepOutcome,
  end: StepEnd = {},
): Promise<void> {
  const durationMs = live.timer.elapsedMs();
  const { stepIndex } = openStep(live);
  live.journal.record(present({ type: "step", stepIndex, outcome, durationMs, ...end } as const));
  await live.journal.flush();
  const step = live.journal.position.last!;
  live.steps.push(step);
  live.assembly.addStep(step);
  live.events.emit({ type: "step_recorded", step });
}

/** Writes the end of a step without a reply, shown to the model by a synthetic observation. */
export async function endUnanswered(
  live: LiveRun,
  outcome: "model_call_failed" | "model_outcome_unknown",
  error?: ErrorInfo,
): Promise<void> {
  const { modelCallFailed, modelOutcomeUnknown } = live.agent.syntheticObservations;
  const observation = outcome === "model_call_failed" ? modelCallFailed : modelOutcomeUnknown;
  await endStep(live, outcome, { observation, observationSynthetic: true, error });
}

/**
 * What an abort makes of a step that is not settled. Suspended: what is known is written and the step stays open.
 * Finished: its actions get their results and it ends as cancelled.
 *
 * @param inFlight What is known of an action whose intent was written: its call never started, or nobody knows.
 */
export async function interruptStep(
  live: LiveRun,
  inFlight: "not_executed" | "unknown" = "unknown",
  resolvedBy?: string,
): Promise<void> {
  const { actionSkipped, actionOutcomeUnknown } = live.agent.syntheticObservations;
  const hasIntent = openStep(live).openAction !== undefined;
  if (hasIntent && inFlight === "not_executed") {
    recordResult(live, syntheticResult("not_executed", actionSkipped, present({ resolvedBy })));
  }
  if (live.options.onAbort === "suspend") {
    live.suspended = true;
    return await live.journal.flush();
  }
  if (hasIntent && inFlight === "unknown") {
    recordResult(live, syntheticResult("unknown", actionOutcomeUnknown));
  }
  skipRemainingActions(live);
  await endStep(live, "cancelled");
}

function skipRemainingActions(live: LiveRun): void {
  const { actionSkipped } = live.agent.syntheticObservations;
  const planned = plannedActions(openStep(live)).length;
  while (openStep(live).settled.length < planned) {
    recordResult(live, syntheticResult("not_executed", actionSkipped));
  }
}
