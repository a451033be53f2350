// deno run --allow-read=. --allow-write=.polyloop --allow-run examples/crash_and_resume.ts
// deno-lint-ignore-file no-console
/** A process is killed while a tool sends a letter; another goes on, and does not send it twice. */
import {
  defineAgent,
  defineRun,
  defineTool,
  resume,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";

const send = defineTool({
  name: "send_letter",
  description: "Sends a letter.",
  parameters: { type: "object", properties: {} },
  async execute() {
    console.log("sending");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return "sent";
  },
});
const tools = ToolRegistry.of([send]);
const store = jsonlStore({ dir: ".polyloop" });
const agent = defineAgent({
  model: scriptedModel(({ messages }) =>
    messages.length === 1
      ? '{"tool": "send_letter", "arguments": {}}'
      : '{"final_answer": "The letter may have been sent: please look."}'
  ),
  interpreter: jsonActionInterpreter(),
  store,
});
const request = defineRun({
  runId: "letter",
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
  tools,
  context: { runLevel: [], goalLevel: [textMessage("user", "Send the letter.")] },
});

if (Deno.args[0] === "child") {
  await run(agent, request);
} else {
  await store.deleteRun("letter");
  const flags = ["--allow-read=.", "--allow-write=.polyloop"];
  const args = ["run", ...flags, "examples/crash_and_resume.ts", "child"];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  for await (const _ of child.stdout) child.kill("SIGKILL"); // it is sending
  const { answer, steps } = await resume(agent, request);
  console.log(`step 0: ${steps[0]?.outcome}, tried ${steps[0]?.actions[0]?.attempts} time`);
  console.log(answer);
}
