import {
  historyStepOf,
  InvalidRequestError,
  type Message,
  type ToolProtocol,
} from "../../types/mod.ts";
import type { AgentDefinition } from "../define_agent.ts";
import type { RunRequest } from "../define_run.ts";

/** How the model of a run asks for actions. An {@link InvalidRequestError} where agent and request do not agree. */
export function toolProtocolOf(
  { interpreter }: AgentDefinition,
  { toolProtocol: wanted, tools, context, derivedFrom }: RunRequest,
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
  const inherited = derivedFrom?.historySteps ?? 0;
  refuseOwnCallIds("context.runLevel", context.runLevel, inherited);
  refuseOwnCallIds("context.goalLevel", context.goalLevel, inherited);
  return read;
}

/** Refuses the ids that the run's own tool calls have in history: those of inherited steps are not. */
function refuseOwnCallIds(field: string, messages: readonly Message[], inherited: number): void {
  for (const [m, { content }] of messages.entries()) {
    for (const [b, block] of content.entries()) {
      const step = block.type === "text" ? undefined : historyStepOf(block.toolCallId);
      if (block.type === "text" || step === undefined || step < inherited) continue;
      throw new InvalidRequestError(
        `${field}[${m}].content[${b}].toolCallId`,
        block.toolCallId,
        "the run's own calls have such ids: those that it goes on from are counted by derivedFrom",
      );
    }
  }
}
