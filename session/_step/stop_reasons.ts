import type { Position } from "../../logic/_recovery/mod.ts";
import { afterStep, beforeModelCall, beforeStep } from "../../logic/_stopping/mod.ts";
import type { Budget, StopReason } from "../../types/mod.ts";

/** Tier C of the last recorded step; none if there is none. */
export function reasonsAfterStep(
  { last, ...position }: Position,
  budget: Budget,
): readonly StopReason[] {
  if (last === undefined) return [];
  const { identicalActions, consecutiveFailures } = position;
  return afterStep({ budget, step: last, identicalActions, consecutiveFailures });
}

/**
 * Tier A of what the run has spent, and of whether it was aborted: now, or by what the log says when a crash came
 * between a cancelled step and the run's end.
 */
export function reasonsBeforeStep(
  { last, counters, activeMs }: Position,
  budget: Budget,
  abortedNow: boolean,
): readonly StopReason[] {
  const aborted = abortedNow || last?.outcome === "cancelled";
  const { steps, modelCalls, totalTokens } = counters;
  return beforeStep({ budget, aborted, activeMs, steps, modelCalls, totalTokens });
}

/** Tier B of a prompt's size. */
export function reasonsBeforeCall(promptChars: number, budget: Budget): readonly StopReason[] {
  return beforeModelCall({ budget, promptChars });
}
