// deno run examples/cancel_and_suspend.ts
// deno-lint-ignore-file no-console
/** One signal, two ways to stop: a cancelled run is over; a suspended one goes on where it stopped. */
import {
  defineAgent,
  defineRun,
  defineTool,
  resume,
  run,
  RunSuspendedError,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

for (const onAbort of ["finish", "suspend"] as const) {
  const abort = new AbortController();
  let ticks = 0;
  const tick = defineTool({
    name: "tick",
    description: "Ticks once.",
    parameters: { type: "object", properties: {} },
    execute() {
      ticks++;
      if (ticks === 3) abort.abort(new Error("somebody pressed Ctrl-C"));
      return `tick ${ticks}`;
    },
  });
  const tools = ToolRegistry.of([tick]);
  const agent = defineAgent({
    model: scriptedModel(() =>
      ticks < 5 ? '{"tool": "tick", "arguments": {}}' : '{"final_answer": "five ticks"}'
    ),
    interpreter: jsonActionInterpreter(),
    store: memoryStore(),
  });
  const request = defineRun({
    runId: `clock-${onAbort}`,
    budget: { maxSteps: 9, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
    tools,
    context: { runLevel: [], goalLevel: [textMessage("user", "Tick five times.")] },
  });
  let stopped: string;
  try {
    stopped = (await run(agent, request, { signal: abort.signal, onAbort })).stopReason;
  } catch (error) {
    if (!(error instanceof RunSuspendedError)) throw error;
    stopped = `suspended as ${error.cause}`;
  }
  const { stopReason, steps } = await resume(agent, request);
  console.log(`${onAbort}: ${stopped}; resumed: ${stopReason} after ${steps.length} steps`);
}
