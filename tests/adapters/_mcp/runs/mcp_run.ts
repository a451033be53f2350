/**
 * A run with tools of servers, the same in the process that begins it and in the one that resumes it.
 *
 * @module
 */
import { jsonActionInterpreter } from "../../../../adapters/json_action_interpreter.ts";
import type { McpServer, McpToolsOptions } from "../../../../adapters/mcp_tools.ts";
import { scriptedModel } from "../../../../adapters/scripted_model.ts";
import {
  type AgentDefinition,
  defineAgent,
  defineRun,
  type RunRequest,
  textMessage,
  type Tool,
  ToolRegistry,
} from "../../../../mod.ts";
import { jsonlStore } from "../../../../stores/jsonl.ts";

/** An agent that calls each of some tools once, and then ends; it keeps its log in a folder. */
export function callingAgent(dir: string, calls: readonly string[]): AgentDefinition {
  const script = ({ messages }: { readonly messages: readonly unknown[] }) => {
    const call = calls[(messages.length - 1) / 2];
    return call === undefined
      ? '{"final_answer": "done"}'
      : JSON.stringify({ tool: call, arguments: { text: `to ${call}` } });
  };
  const interpreter = jsonActionInterpreter();
  return defineAgent({ model: scriptedModel(script), interpreter, store: jsonlStore({ dir }) });
}

/** A run with some tools. */
export function runWith(tools: readonly Tool[]): RunRequest {
  return defineRun({
    runId: "mcp",
    budget: { maxSteps: 9, maxModelCalls: 9, maxPromptChars: 9_000, maxConsecutiveFailures: 3 },
    tools: ToolRegistry.of(tools),
    context: { runLevel: [], goalLevel: [textMessage("user", "Call them.")] },
  });
}

/** The run that is killed in the middle of a call. */
export function killedRun(server: McpServer, replay: McpToolsOptions["replay"]): RunRequest {
  return runWith(server.tools(replay && { replay }));
}
