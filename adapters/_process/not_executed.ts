import type { UnexecutedOutcome } from "../../types/mod.ts";

/** The outcome of an action that an executor does not take: nothing has happened, and the model is told why. */
export function notExecuted(observation: string): UnexecutedOutcome<"not_executed"> {
  return {
    status: "not_executed",
    observation,
    observationSynthetic: true,
    truncatedChars: 0,
  };
}
