// deno run examples/smallest_run.ts
// deno-lint-ignore-file no-console
/** The smallest run: one question, one answer, no action, nothing kept. */
import { defineAgent, defineRun, run, textMessage } from "@polyloop/polyloop";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const agent = defineAgent({
  model: scriptedModel(["42"]),
  interpreter: {
    interpret: ({ text }) => ({
      decision: { kind: "final_answer", answer: text },
      historyText: text,
    }),
    parameters: () => ({}),
  },
  store: memoryStore(),
});
const request = defineRun({
  runId: "smallest",
  budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
  executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
  context: { runLevel: [], goalLevel: [textMessage("user", "What is six times seven?")] },
});
const { stopReason, answer, steps } = await run(agent, request);
console.log(`${stopReason} after ${steps.length} step: ${answer}`);
