/**
 * PolyLoop: one bounded run of an agent, done once and right. A run is the loop *decide → act → observe* around one
 * goal, with budgets, an ordered stop decision, a recorded trajectory, cancellation, and crash recovery that never
 * guesses.
 *
 * This module has what an agent is made of: the two verbs, the definitions that they take, tools, the five ports, and
 * every type and error that these mention. The rest has entry points of its own:
 *
 * - stores and adapters, one by one, so that nothing is a default by accident;
 * - `./session`, too, for who reads logs (`readLog`, `rebuildPrompt`, `verifyLog`, `requestInputs`), goes on from
 *   them or compares them (`contextAt`, `continued`, `diffLogs`), or asks before a run what it would record and whether
 *   it can go on (`parameterSnapshot`, `driftsOf`);
 * - `./types`, for who writes a store or an adapter: digests, sizes, log lines, and the members of each union as an
 *   array, such as `STOP_REASONS`;
 * - `./tools`, too, for JSON Schema validation by itself, and `./serialization` for the codec of log entries;
 * - `./context` for gathering and trimming what a prompt starts from.
 *
 * @example
 * ```ts
 * import { defineAgent, defineRun, run, textMessage, ToolRegistry, defineTool } from "@polyloop/polyloop";
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { assertEquals } from "@std/assert";
 *
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   parameters: {
 *     type: "object",
 *     properties: { a: { type: "number" }, b: { type: "number" } },
 *     required: ["a", "b"],
 *   } as const,
 *   execute: ({ a, b }) => String(a + b),
 *   replay: "replayable",
 * });
 * const tools = ToolRegistry.of([add]);
 * const agent = defineAgent({
 *   model: scriptedModel([
 *     '{"tool": "add", "arguments": {"a": 2, "b": 40}}',
 *     '{"final_answer": 42}',
 *   ]),
 *   interpreter: jsonActionInterpreter(),
 *   store: memoryStore(),
 * });
 * const result = await run(
 *   agent,
 *   defineRun({
 *     runId: "sum-1",
 *     budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 20_000, maxConsecutiveFailures: 2 },
 *     tools,
 *     context: { runLevel: [], goalLevel: [textMessage("user", "What is 2 + 40?")] },
 *   }),
 * );
 * assertEquals([result.stopReason, result.answer], ["final_answer", 42]);
 * ```
 *
 * @module
 */
export {
  type ActionDecision,
  type ActionObservation,
  type ActionOutcome,
  type ActionRecord,
  type ActionResult,
  type ActionStatus,
  type Budget,
  type ContentBlock,
  type ContextPolicy,
  type ContextStage,
  type Decision,
  type Denial,
  type Durability,
  EnvironmentError,
  type EnvironmentFailedOutcome,
  type ErrorCode,
  type ErrorInfo,
  type ExecutedOutcome,
  type FinalAnswerDecision,
  type FinishReason,
  type Injection,
  type InvalidDecision,
  InvalidRequestError,
  type JsonValue,
  type LogCheck,
  type LogEntry,
  type Message,
  ModelCallError,
  type ModelCallErrorDetails,
  type ModelCallErrorKind,
  type ModelReply,
  type ModelRetry,
  type ParameterDrift,
  ParameterDriftError,
  type ParentAction,
  type PlannedAction,
  PolyLoopError,
  type Provenance,
  type RecoveryPlan,
  type ReplayPolicy,
  type ReplyToolCall,
  type Role,
  RunConflictError,
  type RunContext,
  type RunCounters,
  RunExistsError,
  RunLockedError,
  RunLogCorruptError,
  RunNotFoundError,
  type RunOrigin,
  type RunResult,
  RunSuspendedError,
  type StepOutcome,
  type StepRecord,
  type StopReason,
  type StoreAction,
  StoreFailedError,
  type StoreTask,
  type SummaryFailure,
  type TextBlock,
  textMessage,
  type ToolCall,
  type ToolCallBlock,
  type ToolProtocol,
  type ToolResultBlock,
  type ToolSchema,
  type UnexecutedOutcome,
  UnsupportedSchemaError,
  type Usage,
} from "./types/mod.ts";
export type {
  ActionCall,
  ActionExecutor,
  ActionFinishedEvent,
  ActionStartedEvent,
  ApprovalAnsweredEvent,
  ApprovalRequestedEvent,
  ContextEditedEvent,
  ContextEditFailedEvent,
  DecisionInterpreter,
  EventBase,
  EventSink,
  Interpretation,
  InterpretContext,
  MessageWarning,
  ModelCall,
  ModelCallFinishedEvent,
  ModelCallStartedEvent,
  ModelDelta,
  ModelDeltaEvent,
  ModelPort,
  PromptAssembledEvent,
  PromptSegment,
  ReceiptMessage,
  RunEvent,
  RunFinishedEvent,
  RunResumedEvent,
  RunStartedEvent,
  RunStore,
  RunSuspendedEvent,
  RunWait,
  StepRecordedEvent,
  StepStartedEvent,
  UsageUnknownEvent,
} from "./ports/mod.ts";
export {
  defineTool,
  type FromSchema,
  type Tool,
  type ToolContext,
  type ToolDelegate,
  type ToolExecutorOptions,
  type ToolOutcome,
  type ToolParameters,
  ToolRegistry,
  type ToolSpec,
  type ToolTexts,
} from "./logic/tools/mod.ts";
export {
  type AgentDefinition,
  type AgentSpec,
  defineAgent,
  type SyntheticObservations,
} from "./session/define_agent.ts";
export {
  defineRun,
  type RunRequest,
  type RunSpec,
  type VisibleTools,
} from "./session/define_run.ts";
export { resume, run } from "./session/run.ts";
export type {
  ApprovalAnswer,
  ApprovalRequest,
  ApproveAction,
  ResolveUnknownAction,
  RunOptions,
  UnknownAction,
  UnknownActionAnswer,
} from "./session/run_options.ts";
