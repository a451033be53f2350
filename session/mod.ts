/**
 * Agents, requests, and the two verbs: {@link run} and {@link resume}; and the readers of what they wrote.
 *
 * @example
 * ```ts
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { defineAgent, defineRun, readLog, run, verifyLog } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { textMessage } from "@polyloop/polyloop/types";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * const agent = defineAgent({
 *   model: scriptedModel(["42"]),
 *   interpreter: {
 *     interpret: ({ text }) => ({
 *       decision: { kind: "final_answer", answer: text },
 *       historyText: text,
 *     }),
 *     parameters: () => ({}),
 *   },
 *   store,
 * });
 * const request = defineRun({
 *   runId: "six-times-seven",
 *   budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *   executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *   context: { runLevel: [], goalLevel: [textMessage("user", "What is six times seven?")] },
 * });
 * const { answer, logHead } = await run(agent, request);
 *
 * const lines = (await store.readRun("six-times-seven"))!;
 * assert(verifyLog(lines).ok);
 * const log = readLog(lines);
 * assertEquals([log.finished?.answer, log.logHead], [answer, logHead]);
 * ```
 *
 * @module
 */
export { childRunId } from "./child_run_id.ts";
export {
  contextAt,
  type ContextAtOptions,
  continued,
  type InheritedContext,
} from "./context_at.ts";
export {
  type AgentDefinition,
  type AgentSpec,
  defineAgent,
  SYNTHETIC_OBSERVATIONS,
  type SyntheticObservations,
} from "./define_agent.ts";
export { defineRun, type RunRequest, type RunSpec, type VisibleTools } from "./define_run.ts";
export { diffLogs, type LogDifference, type LogDifferenceKind } from "./diff_logs.ts";
export { driftsOf } from "./drifts_of.ts";
export { parameterSnapshot } from "./parameter_snapshot.ts";
export type {
  OpenActionRecord,
  OpenStepRecord,
  OpenSummaryRecord,
} from "./_reading/open_step_record.ts";
export {
  type LoggedCall,
  readLog,
  readLogInParts,
  type RunLog,
  type RunLogSummary,
} from "./read_log.ts";
export {
  type EditedMessage,
  rebuildCall,
  rebuildPrompt,
  type RebuiltCall,
} from "./rebuild_prompt.ts";
export { recordedActions, recordedCalls } from "./recorded_calls.ts";
export { type RedactionRules, redactLog } from "./redact_log.ts";
export { type RequestInputs, requestInputs } from "./request_inputs.ts";
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
export { type OriginVerdict, verifyOrigin } from "./verify_origin.ts";
export {
  LOG_UNKNOWNS,
  type LogFault,
  type LogUnknown,
  type LogVerdict,
  verifyLog,
  verifyLogInParts,
} from "./verify_log.ts";
