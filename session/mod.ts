/**
 * Agents, requests, and the two verbs: {@link run} and {@link resume}; and the readers of what they wrote.
 *
 * @example
 * ```ts
 * import { readLog } from "@polyloop/polyloop/session";
 * import { RunLogCorruptError } from "@polyloop/polyloop/types";
 * import { assertThrows } from "@std/assert";
 *
 * assertThrows(() => readLog(["not a log"]), RunLogCorruptError);
 * ```
 *
 * @module
 */
export {
  type AgentDefinition,
  type AgentSpec,
  defineAgent,
  SYNTHETIC_OBSERVATIONS,
  type SyntheticObservations,
} from "./define_agent.ts";
export {
  defineRun,
  type RunRequest,
  type RunSpec,
  type ToolProtocol,
  type VisibleTools,
} from "./define_run.ts";
export { type OpenStepRecord, readLog, type RunLog } from "./read_log.ts";
export { rebuildPrompt } from "./rebuild_prompt.ts";
export { resume, run } from "./run.ts";
export type {
  ApprovalAnswer,
  ApprovalRequest,
  ApproveAction,
  ResolveUnknownAction,
  RunOptions,
  UnknownAction,
  UnknownActionAnswer,
} from "./run_options.ts";
export { type LogFault, type LogVerdict, verifyLog } from "./verify_log.ts";
export type * from "../ports/mod.ts";
