// deno run examples/careless_tool.ts
// deno-lint-ignore-file no-console
/** A tool that says it may be repeated though each repetition sends one more letter: exploring crashes shows it. */
import { defineAgent, defineRun, defineTool, textMessage, ToolRegistry } from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { exploreCrashes } from "@polyloop/polyloop/contract";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

/** What the tools act on: it survives a crash. The key of a letter is the id of the action that sent it. */
interface Office {
  readonly sent: { readonly key: string; readonly letter: string }[];
}

function sendTool(office: Office, careful: boolean) {
  return defineTool({
    name: "send",
    description: "Sends a letter.",
    parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    replay: "replayable",
    execute({ to }, { actionId }) {
      const isSent = office.sent.some(({ key }) => key === actionId);
      if (!careful || !isSent) office.sent.push({ key: actionId, letter: `letter to ${to}` });
      return "sent";
    },
  });
}

for (const careful of [false, true]) {
  const { explored, findings } = await exploreCrashes({
    makeStore: memoryStore,
    makeWorld: (): Office => ({ sent: [] }),
    effects: ({ sent }) => sent.map(({ letter }) => letter),
    agent: (store) =>
      defineAgent({
        model: scriptedModel(({ messages }) =>
          messages.length === 1
            ? '{"tool": "send", "arguments": {"to": "Ada"}}'
            : '{"final_answer": "Ada has it."}'
        ),
        interpreter: jsonActionInterpreter(),
        store,
      }),
    request(office) {
      const tools = ToolRegistry.of([sendTool(office, careful)]);
      return defineRun({
        runId: "one-letter",
        budget: { maxSteps: 4, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 2 },
        context: { runLevel: [], goalLevel: [textMessage("user", "Write to Ada, once.")] },
        tools,
        modelReplayPolicy: "replayable",
      });
    },
  });
  const tool = careful ? "careful" : "careless";
  console.log(`${tool} tool: ${explored} crashes, ${findings.length} findings`);
  for (const { fault, detail, crashes } of findings) {
    console.log(`  ${fault}: "${detail}" after a crash ${crashes.join(", then ")}`);
  }
}
