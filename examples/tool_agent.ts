// deno run --allow-read=LICENSE examples/tool_agent.ts
// deno-lint-ignore-file no-console
/** An agent with tools of its own that asks for them in JSON: what it asks for is checked before it is done. */
import {
  defineAgent,
  defineRun,
  defineTool,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const countLines = defineTool({
  name: "count_lines",
  description: "Counts the lines of a text file of this folder.",
  parameters: {
    type: "object",
    properties: { path: { type: "string", pattern: "^[\\w.]+$" } },
    required: ["path"],
  } as const,
  execute: async ({ path }) => (await Deno.readTextFile(path)).trimEnd().split("\n").length,
  replay: "replayable",
});
const tools = ToolRegistry.of([countLines]);
const agent = defineAgent({
  model: scriptedModel([
    '{"tool": "count_lines", "arguments": {"path": "../secrets"}}',
    '{"tool": "count_lines", "arguments": {"path": "LICENSE"}}',
    '{"final_answer": "counted"}',
  ]),
  interpreter: jsonActionInterpreter(),
  store: memoryStore(),
});
const request = defineRun({
  runId: "count-lines",
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 20_000, maxConsecutiveFailures: 2 },
  tools,
  context: { runLevel: [], goalLevel: [textMessage("user", "How long is the LICENSE?")] },
});
const { answer, steps } = await run(agent, request);
for (const { status, observation } of steps.flatMap(({ actions }) => actions)) {
  console.log(`${status}: ${observation}`);
}
console.log(`answer: ${answer}`);
