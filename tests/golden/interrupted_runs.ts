/**
 * Golden runs that did not go straight on: with denials and a broken environment, with two crashes, with an abort.
 * Whatever changes elsewhere, these ports stay as they are: the logs were written with them, once,
 * by processes that were stopped where the logs end, and are never written again.
 *
 * @module
 */
import {
  type ActionExecutor,
  type AgentDefinition,
  type Decision,
  type DecisionInterpreter,
  defineAgent,
  defineRun,
  type ModelPort,
  type ModelReply,
  type RunOptions,
  type RunRequest,
  type RunStore,
  textMessage,
  type VisibleTools,
} from "../../mod.ts";
import { digest } from "../../types/mod.ts";

/** What the model of a run says, step by step, and how the run is driven. */
export interface InterruptedRun {
  readonly script: readonly (ModelReply | Error)[];
  readonly protocol: "text" | "native";
  readonly options: RunOptions;
}

const approveAction = {
  id: "policy",
  decide: ({ actionId }: { readonly actionId: string }) =>
    actionId.endsWith("_a1")
      ? { allow: false, reason: "not today" } as const
      : { allow: true } as const,
};

/** The runs, by the names of their files. */
export const INTERRUPTED_RUNS: Readonly<Record<string, InterruptedRun>> = {
  denied: {
    script: [
      { text: "do a; do b; do c", providerData: { signed: ["x"] } },
      { text: "do break; do never" },
      { text: "do submit" },
    ],
    protocol: "native",
    options: { approveAction },
  },
  crashed: {
    script: [{ text: "do a" }, { text: "do slow" }, { text: "answer done" }],
    protocol: "text",
    options: {},
  },
  cancelled: {
    script: [{ text: "do a; do slow; do c" }],
    protocol: "native",
    options: {},
  },
};

const interpreterOf = (protocol: "text" | "native"): DecisionInterpreter => ({
  interpret: ({ text }) => ({ decision: decisionOf(text, protocol), historyText: text }),
  parameters: () => ({ protocol }),
});

function decisionOf(text: string, protocol: "text" | "native"): Decision {
  if (text.startsWith("answer ")) return { kind: "final_answer", answer: { text: text.slice(7) } };
  if (!text.startsWith("do ")) return { kind: "invalid", explanation: "start with do or answer" };
  const words = text.split("; ").map((part) => part.slice(3));
  const actions = words.map((word) => {
    const named = { action: { word }, toolName: word };
    const toolCall = { id: "call_0", name: "do", arguments: { word } };
    return protocol === "native" ? { ...named, toolCall } : named;
  });
  return { kind: "action", actions };
}

/** Its actions do what their words say; `slow` is what the caller makes of it. */
function executorOf(slow: () => Promise<void>): ActionExecutor {
  return {
    execute: async ({ action }) => {
      const { word } = action as { readonly word: string };
      if (word === "slow") await slow();
      const observed = {
        observation: `saw ${word}`,
        observationSynthetic: false,
        truncatedChars: word === "look" ? 7 : 0,
      };
      return word === "break"
        ? { status: "environment_failed", ...observed }
        : { status: "executed", failed: word.startsWith("fail"), ...observed, completed: false };
    },
    replayPolicy: (action) => JSON.stringify(action).includes("look") ? "replayable" : "never",
    completes: (toolName) => toolName === "submit",
    parameters: () => ({ words: "1" }),
  };
}

const NAMES = ["a", "b", "break", "c", "never", "slow", "submit"];

const TOOLS: VisibleTools = {
  names: NAMES,
  schemaForModel: () =>
    NAMES.map((name) => ({ name, description: "Does.", parameters: { type: "object" } })),
  toolDigest: () => digest("do"),
};

/** The agent, the request and the options of a run. */
export function interruptedRun(
  name: string,
  store: RunStore,
  slow: () => Promise<void>,
): { readonly agent: AgentDefinition; readonly request: RunRequest; readonly options: RunOptions } {
  const { script, protocol, options } = INTERRUPTED_RUNS[name]!;
  const model: ModelPort = {
    call: ({ callId }) => {
      const said = script[Number(/\d+$/.exec(callId)![0])]!;
      return said instanceof Error ? Promise.reject(said) : Promise.resolve(said);
    },
    parameters: () => ({ name: "golden" }),
  };
  const request = defineRun({
    runId: `golden-${name}`,
    budget: { maxSteps: 9, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 3 },
    executor: executorOf(slow),
    tools: TOOLS,
    toolProtocol: protocol,
    context: {
      runLevel: [textMessage("system", "Be brief.")],
      goalLevel: [textMessage("user", "Find the answer. 答え 🌊")],
    },
    injections: {
      notes: [{ entryId: "n1", content: "a note", provenance: { source: "wiki", version: "3" } }],
      empty: [],
    },
    observationTemplate: "Observation: {observation}",
    modelBinding: { cell: "A3" },
    fingerprints: { recipe: "sha256:12" },
    modelReplayPolicy: "replayable",
    cancelGraceMs: 10,
  });
  return {
    agent: defineAgent({ model, interpreter: interpreterOf(protocol), store }),
    request,
    options,
  };
}
