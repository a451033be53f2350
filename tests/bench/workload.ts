import {
  type ActionExecutor,
  type ActionOutcome,
  type AgentDefinition,
  type Budget,
  type Decision,
  type DecisionInterpreter,
  defineAgent,
  defineRun,
  type ModelReply,
  type RunRequest,
  type RunStore,
  textMessage,
} from "../../mod.ts";

/**
 * The work that subjects and floors share: a step has a reply of 200 characters, one action and an observation of 400;
 * the last step of a run is an answer.
 */
export interface Workload {
  reply(stepIndex: number): Promise<ModelReply>;
  decide(reply: ModelReply): Decision;
  execute(): Promise<ActionOutcome>;
}

/** The goal of each run. */
export const GOAL = "Do it.";

/** What stands before the digits of a step in the id of its call. */
const STEP = "/s";

const OUTCOME = {
  status: "executed",
  failed: false,
  observationSynthetic: false,
  completed: false,
  truncatedChars: 0,
} as const;

/** The work of a run of so many steps. */
export function workload(steps: number): Workload {
  let observed = 0;
  return {
    reply: (stepIndex) => {
      const text = stepIndex === steps - 1 ? "done" : `step ${stepIndex} `.padEnd(200, "reply ");
      return Promise.resolve({ text });
    },
    decide: ({ text }) =>
      text === "done"
        ? { kind: "final_answer", answer: text }
        : { kind: "action", actions: [{ action: text }] },
    execute: () => {
      const observation = `seen ${observed++} `.padEnd(400, "observation ");
      return Promise.resolve({ ...OUTCOME, observation });
    },
  };
}

/** An agent that does the work over a store. */
export function agentOf({ reply, decide }: Workload, store: RunStore): AgentDefinition {
  const interpreter: DecisionInterpreter = {
    interpret: (reply) => ({ decision: decide(reply), historyText: reply.text }),
    parameters: () => ({}),
  };
  const model = {
    call: ({ callId }: { readonly callId: string }) => {
      return reply(Number(callId.slice(callId.lastIndexOf(STEP) + STEP.length)));
    },
    parameters: () => ({}),
  };
  return defineAgent({ model, interpreter, store });
}

/** A request for the work. */
export function requestOf({ execute }: Workload, runId: string): RunRequest {
  const executor: ActionExecutor = { execute, parameters: () => ({}) };
  const context = { runLevel: [], goalLevel: [textMessage("user", GOAL)] };
  return defineRun({ runId, budget: UNBOUNDED, executor, context });
}

/** A budget that bounds nothing here. */
export const UNBOUNDED: Budget = {
  maxSteps: 1_000_000,
  maxModelCalls: 1_000_000,
  maxPromptChars: 1_000_000_000,
  maxConsecutiveFailures: 1,
};
