// deno run --allow-read=. --unstable-worker-options examples/worker.ts
// deno-lint-ignore-file no-console
/** The kernel and the memory store in a worker that may do nothing: no file, no network, no environment. */
import { defineAgent, defineRun, run, textMessage } from "@polyloop/polyloop";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

/** A run that tries to read a file, and tells what it met. */
async function runInside(): Promise<string> {
  const agent = defineAgent({
    model: scriptedModel(["LICENSE", "done"]),
    interpreter: {
      interpret: ({ text }) => ({
        decision: text === "done"
          ? { kind: "final_answer", answer: text }
          : { kind: "action", actions: [{ action: text }] },
        historyText: text,
      }),
      parameters: () => ({}),
    },
    store: memoryStore(),
  });
  const request = defineRun({
    runId: "in-a-worker",
    budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9_000, maxConsecutiveFailures: 2 },
    executor: {
      execute: async ({ action }) => {
        throw new Error(await Deno.readTextFile(String(action)));
      },
      parameters: () => ({}),
    },
    context: { runLevel: [], goalLevel: [textMessage("user", "Read the licence.")] },
  });
  const { stopReason, steps } = await run(agent, request);
  const action = steps[0]?.actions[0];
  const met = action?.status === "environment_failed" ? action.error?.name : undefined;
  return `${stopReason} after ${steps.length} steps; the action met: ${met}`;
}

const results = new BroadcastChannel("results");
if (self.name === "inside") {
  results.postMessage(await runInside());
  results.close();
} else {
  const { promise, resolve } = Promise.withResolvers<string>();
  results.onmessage = ({ data }) => resolve(data);
  const worker = new Worker(import.meta.url, {
    type: "module",
    name: "inside",
    deno: { permissions: "none" },
  });
  console.log(await promise);
  worker.terminate();
  results.close();
}
