/** What the processes of this folder drive: runs of so many steps, each with one action that is its number. */
import type { DecisionInterpreter, ExecutedOutcome } from "../../../mod.ts";

/** The step that the id of a call or an action is of. */
export function stepOf(id: string): number {
  return Number(/\/s(\d+)/.exec(id)![1]);
}

/** Reads the number of a step as its action, and the first one beyond the steps as the end. */
export function steppingInterpreter(steps: number): DecisionInterpreter {
  return {
    interpret: ({ text }) => ({
      decision: Number(text) < steps
        ? { kind: "action", actions: [{ action: { step: Number(text) } }] }
        : { kind: "final_answer", answer: "done" },
      historyText: text,
    }),
    parameters: () => ({}),
  };
}

/** What comes of an action. */
export function outcomeOf(actionId: string): ExecutedOutcome {
  return {
    status: "executed",
    failed: false,
    observation: `did ${actionId}`,
    observationSynthetic: false,
    completed: false,
    truncatedChars: 0,
  };
}
