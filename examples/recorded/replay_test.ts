// deno test --allow-read=examples examples/recorded/replay_test.ts
/**
 * A test of an agent from the checked-in log of one of its runs: no key, no network, and it fails as soon as a prompt, a
 * decision or a result is another. `record()` made the log.
 */
import {
  defineAgent,
  defineRun,
  defineTool,
  type ModelPort,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { replayRun } from "@polyloop/polyloop/contract";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const LOG = new URL("area.jsonl", import.meta.url);

const multiply = defineTool({
  name: "multiply",
  description: "Multiplies two numbers.",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => a * b,
});
const request = defineRun({
  runId: "area",
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
  tools: ToolRegistry.of([multiply]),
  context: { runLevel: [], goalLevel: [textMessage("user", "How large is a room of 6 by 7 m?")] },
});
const agentOf = (model: ModelPort) =>
  defineAgent({ model, interpreter: jsonActionInterpreter(), store: memoryStore() });

/** Records the log anew: with a real model, once, and whenever a change of the prompts is meant. */
export async function record(model: ModelPort): Promise<void> {
  const agent = agentOf(model);
  await run(agent, request);
  const lines = await agent.store.readRun(request.runId) ?? [];
  await Deno.writeTextFile(LOG, `${lines.join("\n")}\n`);
}

Deno.test("the agent reckons an area as it did", async () => {
  const lines = (await Deno.readTextFile(LOG)).trimEnd().split("\n");
  const unasked: ModelPort = {
    call: () => Promise.reject(new Error("no model is asked")),
    parameters: () => ({}),
  };
  const { answer } = await replayRun(agentOf(unasked), request, lines);
  if (answer !== "42 m²") throw new Error(`It answers ${answer}`);
});
