/** What a user of the package may write: the compiler must infer what it can, and see what is wrong. */
import {
  defineAgent,
  defineRun,
  defineTool,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import type { JsonValue } from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

/** `true` for whatever is not `any`. */
type Known<T> = 0 extends 1 & T ? never : true;

const square = defineTool({
  name: "square",
  description: "Squares a number",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => {
    const number: Known<typeof n> = true;
    return number && n * n;
  },
});
const model = scriptedModel(['{"tool": "square", "arguments": {"n": 6}}', '{"final_answer": 36}']);
const agent = defineAgent({
  model,
  interpreter: jsonActionInterpreter(),
  store: memoryStore(),
});
const request = defineRun({
  runId: "square-1",
  budget: { maxSteps: 5, maxModelCalls: 6, maxPromptChars: 20_000, maxConsecutiveFailures: 2 },
  tools: ToolRegistry.of([square]),
  context: { runLevel: [], goalLevel: [textMessage("user", "What is six squared?")] },
});
const { answer } = await run(agent, request);

const take = (_: unknown): void => {};
take(answer satisfies JsonValue | undefined);
take(true satisfies Known<typeof answer>);
// @ts-expect-error: the store is missing
take(defineAgent({ model, interpreter: jsonActionInterpreter() }));
// @ts-expect-error: a run gives no number
take(run(agent, request) satisfies Promise<number>);
