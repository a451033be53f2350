// deno run --allow-read=.polyloop --allow-write=.polyloop examples/many_runs.ts
// deno-lint-ignore-file no-console
/** Many runs at once in one SQLite database, where they share commits; then the catalog, and one of the logs. */
import {
  defineAgent,
  defineRun,
  defineTool,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { readLog } from "@polyloop/polyloop/session";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { sqliteStore } from "@polyloop/polyloop/stores/sqlite";

await Deno.mkdir(".polyloop", { recursive: true });
const store = sqliteStore({ path: ".polyloop/many_runs.db" });
const tools = ToolRegistry.of([defineTool({
  name: "roll",
  description: "Rolls a die.",
  parameters: { type: "object", properties: {} },
  execute: () => 1 + Math.floor(Math.random() * 6),
})]);
const agent = defineAgent({
  model: scriptedModel(({ messages }) => {
    const rolls = messages.filter(({ role }) => role === "assistant").length;
    return rolls < 5 ? '{"tool": "roll", "arguments": {}}' : `{"final_answer": "${rolls} rolls"}`;
  }),
  interpreter: jsonActionInterpreter(),
  store,
});
const results = await Promise.all(
  Array.from({ length: 50 }, (_, i) =>
    run(
      agent,
      defineRun({
        runId: `dice-${crypto.randomUUID().slice(0, 8)}-${i}`,
        budget: { maxSteps: 9, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
        tools,
        context: { runLevel: [], goalLevel: [textMessage("user", "Roll a die five times.")] },
      }),
    )),
);
const runIds = await store.listRuns();
const { steps } = readLog((await store.readRun(results[0]!.runId))!);
console.log(`${runIds.length} runs in the database, ${results.length} of them made just now`);
console.log(
  `the first rolled ${steps.flatMap(({ actions }) => actions.map((a) => a.observation))}`,
);
