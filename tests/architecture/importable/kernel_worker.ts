/**
 * One whole run in a worker, with nothing but the kernel, the memory store and ports written here; it posts how the run
 * ended and what the worker was allowed.
 *
 * @module
 */
/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { defineAgent, defineRun, run, textMessage } from "../../../mod.ts";
import { memoryStore } from "../../../stores/memory.ts";

const agent = defineAgent({
  model: {
    call: ({ messages }) => Promise.resolve({ text: messages.length === 1 ? "look" : "seen" }),
    parameters: () => ({}),
  },
  interpreter: {
    interpret: ({ text }) => ({
      decision: text === "look"
        ? { kind: "action", actions: [{ action: text }] }
        : { kind: "final_answer", answer: text },
      historyText: text,
    }),
    parameters: () => ({}),
  },
  store: memoryStore(),
});

const request = defineRun({
  runId: "in-a-worker",
  budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 1_000, maxConsecutiveFailures: 1 },
  executor: {
    execute: () =>
      Promise.resolve({
        status: "executed",
        failed: false,
        observation: "a wave",
        observationSynthetic: false,
        completed: false,
        truncatedChars: 0,
      }),
    parameters: () => ({}),
  },
  context: { runLevel: [], goalLevel: [textMessage("user", "Look at the sea.")] },
});

const { stopReason, answer, steps } = await run(agent, request);
const read = await Deno.permissions.query({ name: "read" });
postMessage({ stopReason, answer, steps: steps.length, mayRead: read.state === "granted" });
