// deno run --allow-read=. --allow-write=.polyloop --allow-run examples/sub_agent.ts
// deno-lint-ignore-file no-console
/** A tool makes a run of its own; it is killed in the middle, and resumed through its parent. */
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
import { childRunId } from "@polyloop/polyloop/session";
import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";

const store = jsonlStore({ dir: ".polyloop" });
const agentOf = (script: readonly string[]) =>
  defineAgent({
    model: scriptedModel(({ callId }) => script[Number(callId.split("/s")[1])] ?? ""),
    interpreter: jsonActionInterpreter(),
    store,
  });
const budget = { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 9_000, maxConsecutiveFailures: 1 };
const parameters = { type: "object", properties: {} };
const goal = (text: string) => ({ runLevel: [], goalLevel: [textMessage("user", text)] });

const look = defineTool({ name: "look", description: "Looks.", parameters, execute: () => "rain" });
const wait = defineTool({
  name: "wait",
  description: "Waits.",
  parameters,
  replay: "replayable",
  async execute() {
    console.log("the child waits");
    if (Deno.args[0] === "child") await new Promise((resolve) => setTimeout(resolve, 60_000));
    return "waited";
  },
});
const CALL = (tool: string) => `{"tool": "${tool}", "arguments": {}}`;
const child = agentOf([CALL("look"), CALL("wait"), '{"final_answer": "It rains."}']);
const ask = defineTool({
  name: "ask",
  description: "Asks an agent that looks outside.",
  parameters,
  replay: "replayable",
  async execute(_, { actionId, signal }) {
    const tools = ToolRegistry.of([look, wait]);
    const request = defineRun({
      runId: childRunId(actionId),
      parent: { actionId },
      budget,
      tools,
      context: goal("Look."),
    });
    return (await run(child, request, { existing: "resume", signal, onAbort: "suspend" })).answer;
  },
});
const request = defineRun({
  runId: "trip",
  budget,
  tools: ToolRegistry.of([ask]),
  context: goal("Umbrella?"),
});
const parent = agentOf([CALL("ask"), '{"final_answer": "Take one."}']);

if (Deno.args[0] === "child") await run(parent, request);
else {
  for (const runId of ["trip", "trip.s0_a0"]) await store.deleteRun(runId);
  const args = [
    "run",
    "--allow-read=.",
    "--allow-write=.polyloop",
    "examples/sub_agent.ts",
    "child",
  ];
  const killed = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  for await (const _ of killed.stdout) killed.kill("SIGKILL"); // the child waits
  const { answer, steps } = await run(parent, request, { existing: "resume" });
  console.log(`${steps[0]?.actions[0]?.observation} ${answer}`);
}
