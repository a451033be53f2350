/** One whole run in memory from a context that the builder made, suspended and resumed, with its log read back. */
import assert from "node:assert/strict";
import process from "node:process";
import {
  defineAgent,
  defineRun,
  defineTool,
  type Message,
  resume,
  run,
  RunSuspendedError,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { buildContext } from "@polyloop/polyloop/context";
import { readLog, rebuildPrompt, verifyLog } from "@polyloop/polyloop/session";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const { context, injections } = await buildContext([{
  id: "wells",
  kind: "file",
  segment: "goal_level",
  trust: "user",
  priority: 0,
  source: "here",
  version: "1",
  body: "Count the wells in the valley. 🌊",
}], { maxChars: 1_000 });

const abort = new AbortController();
const prompts: (readonly Message[])[] = [];
const store = memoryStore();
const replies = ['{"tool": "count", "arguments": {"place": "the valley"}}', '{"final_answer": 4}'];
const agent = defineAgent({
  model: scriptedModel(({ messages }) => {
    prompts.push(messages);
    return replies[prompts.length - 1] ?? "";
  }),
  interpreter: jsonActionInterpreter(),
  store,
});
const request = defineRun({
  runId: "wells",
  budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
  tools: ToolRegistry.of([defineTool({
    name: "count",
    description: "Counts.",
    timeoutMs: 60_000,
    parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
    execute({ place }) {
      abort.abort(new Error("somebody pressed Ctrl-C"));
      return `${place.length} characters`;
    },
  })]),
  context,
  injections,
});

await assert.rejects(
  run(agent, request, { signal: abort.signal, onAbort: "suspend" }),
  RunSuspendedError,
);
const { answer, stopReason } = await resume(agent, request);
assert.deepEqual([answer, stopReason], [4, "final_answer"]);

const lines = await store.readRun("wells");
assert(lines);
assert.equal(verifyLog(lines).ok, true);
const log = readLog(lines);
prompts.forEach((prompt, step) => assert.deepEqual(rebuildPrompt(log, step), prompt));
assert.equal(log.started.runtime.runtime ?? log.started.runtime.deno, navigator.userAgent);
process.stdout.write(`a run of ${prompts.length} steps, suspended and resumed\n`);
