// deno run examples/fork.ts
// deno-lint-ignore-file no-console
/** A run is forked before its second step, once as it was and once with another observation. */
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
import { contextAt, diffLogs, readLog, verifyOrigin } from "@polyloop/polyloop/session";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

const look = defineTool({
  name: "look",
  description: "Looks outside.",
  parameters: { type: "object", properties: {} },
  execute: () => "It rains.",
});
const store = memoryStore();
const agent = defineAgent({
  model: scriptedModel(({ messages }) => {
    const [block] = messages.at(-1)?.content ?? [];
    if (messages.length === 1 || block?.type !== "text") return '{"tool": "look", "arguments": {}}';
    return JSON.stringify({ final_answer: block.text === "It rains." ? "an umbrella" : "a hat" });
  }),
  interpreter: jsonActionInterpreter(),
  store,
});
const task = {
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
  tools: ToolRegistry.of([look]),
};
const logOf = async (runId: string) => readLog(await store.readRun(runId) ?? []);

const goalLevel = [textMessage("user", "What shall I take?")];
await run(agent, defineRun({ ...task, runId: "trip", context: { runLevel: [], goalLevel } }));
const trip = await logOf("trip");

const inherited = contextAt(trip, 1); // what had been said and seen before step 1
await run(agent, defineRun({ ...task, runId: "again", ...inherited }));
const edited = [...inherited.context.goalLevel.slice(0, -1), textMessage("user", "It is sunny.")];
const context = { ...inherited.context, goalLevel: edited };
await run(agent, defineRun({ ...task, runId: "sunny", ...inherited, context }));

const [again, sunny] = [await logOf("again"), await logOf("sunny")];
console.log(`again: ${again.finished?.answer}; sunny: ${sunny.finished?.answer}`);
console.log(
  `again: the prompt is ${
    again.steps[0]?.promptDigest === trip.steps[1]?.promptDigest ? "the same" : "another"
  }`,
);
const verdict = verifyOrigin(sunny, trip);
console.log(`sunny: edited at message ${verdict.ok ? verdict.editedAt : verdict.fault}`);
const parting = diffLogs(again, sunny);
console.log(`they part at step ${parting?.step}, ${parting?.path}: ${parting?.a} / ${parting?.b}`);
