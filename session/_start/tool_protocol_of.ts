import {
  InvalidRequestError,
  isHistoryCallId,
  type Message,
  type ToolProtocol,
} from "../../types/mod.ts";
import type { AgentDefinition } from "../define_agent.ts";
import type { RunRequest } from "../define_run.ts";

/** How the model of a run asks for actions. An {@link InvalidRequestError} where agent and request do not agree. */
export function toolProtocolOf(
  { interpreter }: AgentDefinition,
  { toolProtocol: wanted, tools, context }: RunRequest,
): ToolProtocol {
  const { toolProtocol: read = wanted } = interpreter;
  if (wanted !== undefined && wanted !== read) {
    const detail = `the agent's interpreter reads replies by "${read}": leave the field out, ` +
      "or take another interpreter";
    throw new InvalidRequestError("toolProtocol", wanted, detail);
  }
  if (read !== "native") return "text";
  if (tools === undefined) {
    const detail = 'by the protocol "native" the tools go along with each call of the model, ' +
      "so the run must name them (ToolRegistry.of([…]))";
    throw new InvalidRequestError("tools", tools, detail);
  }
  refuseOwnCallIds("context.runLevel", context.runLevel);
  refuseOwnCallIds("context.goalLevel", context.goalLevel);
  return read;
}

/** Refuses the ids that the run's own tool calls have in history. */
function refuseOwnCallIds(field: string, messages: readonly Message[]): void {
  for (const [m, { content }] of messages.entries()) {
    for (const [b, block] of content.entries()) {
      if (block.type === "text" || !isHistoryCallId(block.toolCallId)) continue;
      throw new InvalidRequestError(
        `${field}[${m}].content[${b}].toolCallId`,
        block.toolCallId,
        "the run's own calls have such ids",
      );
    }
  }
}
