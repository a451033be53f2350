import {
  actedOutcome,
  actionResults,
  type DecidedStep,
  unsettledActions,
} from "../../logic/_recovery/mod.ts";
import { type ErrorInfo, present, type StepOutcome } from "../../types/mod.ts";
import { assertKernel } from "../_live/kernel_fault.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { recordResult, skippedResult } from "./action_result.ts";

/** What ends a step beside its outcome. */
interface StepEnd {
  readonly observation?: string | undefined;
  readonly observationSynthetic?: boolean | undefined;
  readonly error?: ErrorInfo | undefined;
}

/** Writes the end of a step whose decision is settled: its outcome is its own. */
export function recordStep(live: LiveRun, step: DecidedStep): Promise<undefined> {
  const { decision } = step;
  switch (decision.kind) {
    case "final_answer":
      return endStep(live, "final_answer");
    case "invalid": {
      const { explanation: observation, synthetic: observationSynthetic = false } = decision;
      return endStep(live, "invalid_decision", { observation, observationSynthetic });
    }
    case "action":
      for (const action of unsettledActions(step)) recordResult(live, action, skippedResult(live));
      return endStep(live, actedOutcome(actionResults(step)));
  }
}

/** Writes the end of a step without a reply, shown to the model by a synthetic observation. */
export function endUnanswered(
  live: LiveRun,
  outcome: "model_call_failed" | "model_outcome_unknown",
  error?: ErrorInfo,
): Promise<undefined> {
  const { modelCallFailed, modelOutcomeUnknown } = live.agent.syntheticObservations;
  const observation = outcome === "model_call_failed" ? modelCallFailed : modelOutcomeUnknown;
  return endStep(live, outcome, { observation, observationSynthetic: true, error });
}

/** Writes the end of the open step. */
export async function endStep(
  live: LiveRun,
  outcome: StepOutcome,
  end: StepEnd = {},
): Promise<undefined> {
  const { journal, timer, steps, assembly, events } = live;
  const durationMs = timer.elapsedMs();
  const stepIndex = steps.length;
  journal.record(present({ type: "step", stepIndex, outcome, durationMs, ...end } as const));
  await journal.flush();
  const { last } = journal.position.tally;
  assertKernel(last?.stepIndex === stepIndex, "Cannot show a step as its end left none");
  steps.push(last);
  assembly.addStep(last);
  events.emit({ type: "step_recorded", step: last });
}
