import { nativeToolsInterpreter } from "../../../adapters/native_tools_interpreter.ts";
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  defineTool,
  type ModelPort,
  run,
  type RunOptions,
  type RunRequest,
  type RunResult,
  type RunStore,
  textMessage,
  ToolRegistry,
} from "../../../mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { ECHO, echo, echoingModel } from "./native_workload.ts";
import { GOAL, UNBOUNDED } from "../workload.ts";

const tools = ToolRegistry.of([defineTool({ ...ECHO, execute: echo })]);

/** An agent that does the native workload over a store. */
export function nativeAgent(model: ModelPort, store: RunStore): AgentDefinition {
  return defineAgent({ model, interpreter: nativeToolsInterpreter(), store });
}

/** A request for the native workload. */
export function nativeRequest(runId: string): RunRequest {
  return defineRun({
    runId,
    budget: UNBOUNDED,
    executor: tools.executor(),
    tools,
    toolProtocol: "native",
    context: { runLevel: [], goalLevel: [textMessage("user", GOAL)] },
  });
}

/** A run of the native workload, by the library in memory: its result and its log. */
export async function nativeRun(
  calls: number,
  options: RunOptions = {},
): Promise<{ readonly result: RunResult; readonly lines: readonly string[] }> {
  const store = memoryStore();
  const result = await run(
    nativeAgent(echoingModel(calls), store),
    nativeRequest("run-0"),
    options,
  );
  return { result, lines: (await store.readRun("run-0"))! };
}
