import type { PromptAssembly } from "../../logic/_assembly/mod.ts";
import { type ToolProtocol, type ToolSchema, writeSettings } from "../../types/mod.ts";
import { assemblyOf } from "../_live/live_run.ts";
import { admitTools } from "../_live/port_admission.ts";
import { admitAgent, type AgentDefinition } from "../define_agent.ts";
import { admitRequest, type RunRequest } from "../define_run.ts";
import { checkOptions, type RunOptions } from "../run_options.ts";
import { requireRoom } from "./admit_policy.ts";
import { settingsOf } from "./settings_of.ts";
import { toolProtocolOf } from "./tool_protocol_of.ts";

/** What each verb begins with: what it was given, checked, and what follows from that before a store is asked. */
export interface Opening {
  readonly agent: AgentDefinition;
  readonly request: RunRequest;
  readonly options: RunOptions;
  /** What the model may see of the tools, in registry order. Absent: the request names none. */
  readonly tools: readonly ToolSchema[] | undefined;
  /** How the model asks for actions. */
  readonly toolProtocol: ToolProtocol;
  /** The parameter snapshot. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The prompt, as it is before the first step. */
  readonly assembly: PromptAssembly;
}

/**
 * Checks what a verb was given, and asks the ports for their parameters.
 *
 * @throws {InvalidRequestError} If agent, request or options are not as they must be, or do not fit each other.
 * @throws {PortContractError} If a port's parameters cannot be recorded, or the tools' schemas are not as they must be.
 */
export function openingOf(
  givenAgent: AgentDefinition,
  givenRequest: RunRequest,
  options: RunOptions,
): Opening {
  const agent = admitAgent(givenAgent);
  const request = admitRequest(givenRequest);
  checkOptions(options);
  const toolProtocol = toolProtocolOf(agent, request);
  const settings = settingsOf(agent, request, toolProtocol, options.approveAction?.id);
  const parameters = writeSettings(settings);
  const tools = request.tools === undefined ? undefined : admitTools(request.tools);
  const assembly = assemblyOf(request, toolProtocol, tools);
  if (request.contextPolicy !== undefined) {
    requireRoom(request.contextPolicy, assembly.measure().promptChars);
  }
  return { agent, request, options, tools, toolProtocol, parameters, assembly };
}
