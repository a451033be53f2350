import type { ParameterDrift } from "../types/mod.ts";
import { driftsFrom } from "./_start/drifts_from.ts";
import { openingOf } from "./_start/opening.ts";
import type { AgentDefinition } from "./define_agent.ts";
import type { RunRequest } from "./define_run.ts";
import { requireLog, type RunLog } from "./read_log.ts";
import type { RunOptions } from "./run_options.ts";

/**
 * What `resume` would refuse to go on for: each setting that is not the one that the run started with, and the contents
 * of context and injections. Each port is asked for its `parameters()`, and nothing else is called.
 *
 * @param log A log that `readLog` read.
 * @param options Those that `resume` would get: `approveAction.id` is in the snapshot. Default: none.
 * @returns Every drift, by key; last the one of `request.context`, whose `source` names the first message that differs
 * if the log has its inputs. Empty if there is none.
 * @throws {InvalidRequestError} If log, agent, request or options are not as they must be.
 * @throws {PortContractError} If a port's parameters cannot be recorded.
 * @throws {RunLogCorruptError} If no prompt can be made of the inputs that the log has.
 */
export function driftsOf(
  log: RunLog,
  agent: AgentDefinition,
  request: RunRequest,
  options: RunOptions = {},
): readonly ParameterDrift[] {
  requireLog(log);
  return driftsFrom(log.started, openingOf(agent, request, options));
}
