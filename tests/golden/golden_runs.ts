import { defineAgent, defineRun, defineTool, textMessage, ToolRegistry } from "../../mod.ts";
import { present } from "../../types/mod.ts";
import type {
  AgentDefinition,
  Interpretation,
  JsonValue,
  ModelReply,
  RunRequest,
  RunStore,
} from "../../mod.ts";

/** A run whose log is kept: anything that it is made from may only change so that its old logs still resume. */
export interface GoldenRun {
  /** The agent over a store. */
  agent(store: RunStore): AgentDefinition;
  readonly request: RunRequest;
}

const TOOLS = ToolRegistry.of([
  defineTool({
    name: "add",
    description: "Adds two numbers",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    execute: ({ a, b }) => a + b,
    replay: "replayable",
  }),
]);

const call = (name: string, args: JsonValue, text = ""): ModelReply => ({
  text,
  toolCalls: [{ name, arguments: args, rawArguments: JSON.stringify(args) }],
  usage: { inputTokens: 10, outputTokens: 5 },
});

/** What the model says, by how many messages it is shown; it fails where there is nothing to say. */
const SCRIPTS: Readonly<Record<string, Readonly<Record<number, ModelReply>>>> = {
  text: {
    4: { text: "hm 🌊 \u2028", reasoning: "undecided" },
    6: call("add", { a: 1, b: 2 }, "I add."),
    8: call("subtract", { a: 1 }, "I subtract."),
    10: call("add", { a: "1" }, "I add badly."),
    // 12: the call fails
    13: { text: "3", finishReason: "stop", responseId: "last" },
  },
  native: {
    4: {
      ...call("add", { a: 1, b: 2 }, "Both."),
      toolCalls: [
        ...call("add", { a: 1, b: 2 }).toolCalls!,
        { id: "theirs", ...call("add", { a: 3, b: 4 }).toolCalls![0]! },
      ],
      providerData: { signature: "abc" },
    },
    7: { text: "3 and 7" },
  },
};

/** The runs of which a log is kept, by the name of its file. */
export const GOLDEN_RUNS: Readonly<Record<string, GoldenRun>> = {
  text: goldenRun("text"),
  native: goldenRun("native"),
};

/** A clock that goes on by a second each time that it is asked. */
export function goldenClock(): () => number {
  let at = Date.UTC(2026, 0, 1);
  return () => at += 1_000;
}

function goldenRun(protocol: "text" | "native"): GoldenRun {
  return {
    agent: (store) =>
      defineAgent({
        model: {
          call: ({ messages }) => {
            const reply = SCRIPTS[protocol]![messages.length];
            return reply ? Promise.resolve(reply) : Promise.reject(new Error("no reply"));
          },
          parameters: () => ({ name: "golden" }),
        },
        interpreter: { interpret: interpretReply, parameters: () => ({ kind: "golden" }) },
        store,
      }),
    request: defineRun({
      runId: `golden-${protocol}`,
      budget: {
        maxSteps: 10,
        maxModelCalls: 99,
        maxPromptChars: 10_000,
        maxConsecutiveFailures: 3,
      },
      executor: TOOLS.executor(),
      tools: TOOLS,
      toolProtocol: protocol,
      context: {
        runLevel: [textMessage("system", "Reckon.")],
        goalLevel: [textMessage("user", "What is 1 + 2?")],
      },
      injections: {
        notes: [{ entryId: "n1", content: "Numbers add up." }, { entryId: "n2", content: " \r\n" }],
        skills: [],
      },
      observationTemplate: "{{observed}} {observation}",
      modelBinding: { account: "a" },
      modelReplayPolicy: "replayable",
      fingerprints: { recipe: "sha256:0" },
    }),
  };
}

function interpretReply({ text, toolCalls = [] }: ModelReply): Interpretation {
  if (toolCalls.length > 0) {
    const actions = toolCalls.map(({ id, name, arguments: args }) => ({
      action: { tool: name, arguments: args },
      toolName: name,
      toolCall: present({ id, name, arguments: args }),
    }));
    return { decision: { kind: "action", actions }, historyText: text };
  }
  if (text.startsWith("hm")) {
    return { decision: { kind: "invalid", explanation: "Decide." }, historyText: text };
  }
  return { decision: { kind: "final_answer", answer: { text } }, historyText: text };
}
