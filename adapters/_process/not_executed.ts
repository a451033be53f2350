import type { ActionOutcome } from "../../types/mod.ts";

/** The outcome of an action that an executor does not take: nothing has happened, and the model is told why. */
export function notExecuted(observation: string): ActionOutcome {
  return {
    status: "not_executed",
    failed: false,
    observation,
    observationSynthetic: true,
    completed: false,
    truncatedChars: 0,
  };
}
