import type { Position } from "../logic/_recovery/mod.ts";
import { afterStep, beforeModelCall, beforeStep } from "../logic/_stopping/mod.ts";
import type { Budget, StopReason } from "../types/mod.ts";

/** Tier C of the last recorded step; none if there is none. */
export function reasonsAfterStep(
  { last, ...position }: Position,
  budget: Budget,
): readonly StopReason[] {
  if (last === undefined) return [];
  const { identicalActions, consecutiveFailures } = position;
  return afterStep({ budget, step: last, identicalActions, consecutiveFailures });
}

/** Tier A of what the run has spent. */
export function reasonsBeforeStep(
  { counters, activeMs }: Position,
  budget: Budget,
  aborted: boolean,
): readonly StopReason[] {
  const { steps, modelCalls, totalTokens } = counters;
  return beforeStep({ budget, aborted, activeMs, steps, modelCalls, totalTokens });
}

/** Tier B of a prompt's size. */
export function reasonsBeforeCall(promptChars: number, budget: Budget): readonly StopReason[] {
  return beforeModelCall({ budget, promptChars });
}
