import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  type ModelPort,
  type RunRequest,
  type RunSpec,
  type RunStore,
  textMessage,
} from "../../mod.ts";
import { nativeToolsInterpreter } from "../../adapters/native_tools_interpreter.ts";
import {
  type ScriptedModel,
  scriptedModel,
  type ScriptedReply,
} from "../../adapters/scripted_model.ts";
import { type Tool, ToolRegistry } from "../../logic/tools/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { AMPLE } from "../session/world.ts";

/** A native agent and a run of it, as users put them together: a script for the model, and tools. */
export interface NativeCase {
  readonly agent: AgentDefinition;
  readonly request: RunRequest;
  readonly model: ScriptedModel;
  readonly store: RunStore;
}

/** Puts a native agent and a run of it together. */
export function nativeCase(
  script: readonly ScriptedReply[],
  tools: readonly Tool[],
  spec: Partial<RunSpec> = {},
  store: RunStore = memoryStore(),
): NativeCase {
  const registry = ToolRegistry.of(tools);
  const model = scriptedModel(script);
  return {
    agent: defineAgent({ model, interpreter: nativeToolsInterpreter(), store }),
    request: defineRun({
      runId: "case",
      budget: AMPLE,
      tools: registry,
      context: { runLevel: [], goalLevel: [textMessage("user", "go")] },
      cancelGraceMs: 10,
      ...spec,
    }),
    model,
    store,
  };
}

/** A reply that calls a tool. */
export function calling(name: string, args: unknown = {}): ScriptedReply {
  return {
    toolCalls: [{ id: "call_0", name, arguments: args as never }],
    finishReason: "tool_calls",
  };
}

/** A model that counts its calls and answers by a function. */
export function counting(answer: ModelPort["call"]): ModelPort & { readonly count: () => number } {
  let calls = 0;
  return {
    count: () => calls,
    call: (call) => {
      calls++;
      return answer(call);
    },
    parameters: () => ({}),
  };
}
