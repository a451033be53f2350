// deno run --allow-read=. --allow-write=.polyloop --allow-run examples/long/context_with_clock.ts
// deno-lint-ignore-file no-console
/**
 * A context with the time of day in it. The process that built it is killed; another goes on with what the log has, since
 * what it would gather itself is another context by now, and is refused.
 *
 * @module
 */
import {
  defineAgent,
  defineRun,
  defineTool,
  ParameterDriftError,
  resume,
  run,
  type RunRequest,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { buildContext } from "@polyloop/polyloop/context";
import { readLog, requestInputs } from "@polyloop/polyloop/session";
import { jsonlStore } from "@polyloop/polyloop/stores/jsonl";

const wait = defineTool({
  name: "wait",
  description: "Waits for the tide.",
  parameters: { type: "object", properties: {} },
  replay: "replayable",
  async execute() {
    if (Deno.args[0] !== "child") return "The tide is in.";
    console.log("waiting");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
});
const task = {
  runId: "tide",
  budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
  tools: ToolRegistry.of([wait]),
};
const store = jsonlStore({ dir: ".polyloop" });
const agent = defineAgent({
  model: scriptedModel(({ messages }) => {
    const [clock = ""] = JSON.stringify(messages).match(/It is [^"]*/) ?? [];
    const done = JSON.stringify({ final_answer: `the tide came in. When I was asked: "${clock}"` });
    return messages.length < 4 ? '{"tool": "wait", "arguments": {}}' : done;
  }),
  interpreter: jsonActionInterpreter(),
  store,
});

/** The request as it is gathered now. */
async function gathered(): Promise<RunRequest> {
  const of = { trust: "user", segment: "goal_level", source: "here", version: "1" } as const;
  const built = await buildContext([
    { id: "clock", kind: "memory", priority: 1, body: `It is ${new Date().toISOString()}.`, ...of },
    { id: "task", kind: "task", priority: 0, body: "Wait for the tide.", ...of },
  ], { maxChars: 5_000 });
  return defineRun({ ...task, ...built });
}

if (Deno.args[0] === "child") {
  await run(agent, await gathered());
} else {
  await store.deleteRun("tide");
  const flags = ["--allow-read=.", "--allow-write=.polyloop"];
  const args = ["run", ...flags, "examples/long/context_with_clock.ts", "child"];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  for await (const _ of child.stdout) child.kill("SIGKILL"); // it is waiting
  try {
    await resume(agent, await gathered());
  } catch (error) {
    if (!(error instanceof ParameterDriftError)) throw error;
    console.log(`gathered anew: refused, ${error.drifts.map(({ key }) => key).join(", ")}`);
  }
  const log = readLog((await store.readRun("tide"))!);
  const { answer } = await resume(agent, defineRun({ ...task, ...requestInputs(log) }));
  console.log(`as recorded: ${answer}`);
}
