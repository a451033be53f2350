// deno run --allow-read=. --allow-write=.polyloop --allow-run examples/approval_later.ts
// deno-lint-ignore-file no-console
/** Nobody is there to approve an action, so the program ends; another one goes on, and pays for no reply twice. */
import {
  type ApproveAction,
  defineAgent,
  defineRun,
  defineTool,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";

const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  parameters: { type: "object", properties: { euros: { type: "number" } } },
  execute: ({ euros }) => `paid ${euros} euros`,
});
const store = jsonlStore({ dir: ".polyloop" });
const agent = defineAgent({
  model: scriptedModel(({ callId, messages }) => {
    console.log(`the model is asked: ${callId}`);
    return messages.length === 1
      ? '{"tool": "pay", "arguments": {"euros": 90}}'
      : '{"final_answer": "The bill is paid."}';
  }),
  interpreter: jsonActionInterpreter(),
  store,
});
const request = defineRun({
  runId: "bill",
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
  tools: ToolRegistry.of([pay]),
  context: { runLevel: [], goalLevel: [textMessage("user", "Pay the bill.")] },
});
const isHere = Deno.args[0] === "the boss is here";
const approveAction: ApproveAction = {
  id: "boss", // The same in both programs: another approver is another run.
  decide({ action }) {
    if (!isHere) throw new Error(`ask the boss about ${JSON.stringify(action)}`);
    return { allow: true };
  },
};

if (isHere) {
  const { answer } = await run(agent, request, { approveAction, existing: "resume" });
  console.log(answer);
} else {
  await store.deleteRun("bill");
  await run(agent, request, { approveAction }).catch(({ message }) => console.log(message));
  const flags = ["--allow-read=.", "--allow-write=.polyloop"];
  const args = ["run", ...flags, "examples/approval_later.ts", "the boss is here"];
  await new Deno.Command(Deno.execPath(), { args }).spawn().status;
}
