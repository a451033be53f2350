/** Runs for the command line to read: made by the real thing, of a model with a script. */
import {
  type ActionOutcome,
  type AgentDefinition,
  type DecisionInterpreter,
  defineAgent,
  defineRun,
  run,
  type RunOptions,
  type RunRequest,
  type RunSpec,
  type RunStore,
  textMessage,
} from "../../mod.ts";
import { scriptedModel, type ScriptedReply } from "../../adapters/scripted_model.ts";

/** Reads `answer <text>` as a final answer, `do <text>` as an action, and nothing else. */
export const COMMANDS: DecisionInterpreter = {
  interpret: ({ text }) => {
    const [, verb, rest = ""] = /^(answer|do) (.*)$/s.exec(text) ?? [];
    if (verb === "answer") {
      return { decision: { kind: "final_answer", answer: rest }, historyText: text };
    }
    if (verb === "do") {
      const actions = [{ action: { do: rest }, toolName: "do" }];
      return { decision: { kind: "action", actions }, historyText: text };
    }
    return { decision: { kind: "invalid", explanation: `no "${text}"` }, historyText: text };
  },
  parameters: () => ({}),
};

/** What the script of {@link makeRun} says where none is given. */
export const REPLIES: readonly ScriptedReply[] = [
  { text: "do look", usage: { inputTokens: 12, outputTokens: 0 }, servedModel: "m-1" },
  "hm, 🌊",
  new TypeError("the line is dead"),
  "do fail",
  'answer "yes", it said',
];

/** The reply of one that wants to command the terminal that shows it. */
export const HOSTILE = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\r\x00 gone";

/** Makes a run in a store. */
export async function makeRun(
  store: RunStore,
  runId: string,
  replies: readonly ScriptedReply[] = REPLIES,
  spec: Partial<RunSpec> = {},
  options: RunOptions = {},
): Promise<string> {
  const { logHead } = await run(agentOf(store, replies), requestOf(runId, spec), options);
  return logHead;
}

/** An agent whose model says the replies, each to the step of its place. */
export function agentOf(store: RunStore, replies: readonly ScriptedReply[]): AgentDefinition {
  const model = scriptedModel(({ callId }) =>
    replies[Number(callId.split("/s")[1])] ?? "answer no"
  );
  return defineAgent({ model, interpreter: COMMANDS, store });
}

/** Begins a run and leaves it as a crash before an entry would: by default during its second action. */
export async function leaveOpen(
  store: RunStore,
  runId: string,
  spec: Partial<RunSpec> = {},
  seq = 6,
): Promise<void> {
  const dies: RunStore = {
    ...store,
    writeIntent: (id, entry) =>
      entry.seq < seq ? store.writeIntent(id, entry) : Promise.reject(new Error("dead")),
    writeOutcome: (id, entry) =>
      entry.seq < seq ? store.writeOutcome(id, entry) : Promise.reject(new Error("dead")),
  };
  await makeRun(dies, runId, ["do look", "do look again"], spec).catch(() => {});
  await store.releaseRun(runId);
}

/** The request of a run that {@link makeRun} makes. */
export function requestOf(runId: string, spec: Partial<RunSpec> = {}): RunRequest {
  return defineRun({
    runId,
    budget: { maxSteps: 8, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 3 },
    executor: {
      execute: ({ action }) => Promise.resolve(outcomeOf((action as { do: string }).do)),
      parameters: () => ({}),
    },
    context: { runLevel: [], goalLevel: [textMessage("user", "Go on.")] },
    modelBinding: { cell: "a,b" },
    ...spec,
  });
}

function outcomeOf(what: string): ActionOutcome {
  return {
    status: "executed",
    failed: what === "fail",
    observation: `did ${what}`,
    observationSynthetic: false,
    completed: false,
    truncatedChars: 0,
  };
}

/** What makes a run of a few long steps sum them up. */
export const SUMMING: Pick<RunSpec, "contextPolicy"> = {
  contextPolicy: {
    triggerChars: 200,
    targetChars: 120,
    keepLastSteps: 1,
    stages: [{
      kind: "summarise",
      instruction: "Sum up.",
      notice: "[{from} to {to}: {summary}]",
      maxSummaryChars: 40,
    }],
  },
};

/** What makes a run of a few steps drop those before the last. */
export const DROPPING: Pick<RunSpec, "contextPolicy"> = {
  contextPolicy: {
    triggerChars: 150,
    targetChars: 80,
    keepLastSteps: 1,
    stages: [{ kind: "drop_steps", notice: "[gone: {from} to {to}, {chars}]" }],
  },
};

/** A command line of each reading command, over a run. */
export const READING = (runId: string): readonly (readonly string[])[] => [
  ["list"],
  ["list", "--limit", "1"],
  ["show", runId],
  ["show", runId, "--json"],
  ["prompt", runId, "0"],
  ["verify", runId],
  ["export"],
  ["export", runId, "--format", "csv"],
];
