import {
  ACTION_STATUSES,
  FINISH_REASONS,
  LOG_RECORD_TYPES,
  type LogRecord,
  REPLAY_POLICIES,
  ROLES,
  STEP_OUTCOMES,
  STOP_REASONS,
  USAGE_PARTS,
} from "../../types/mod.ts";
import {
  amount,
  anyJson,
  bool,
  count,
  digestText,
  fault,
  instant,
  list,
  mapOf,
  member,
  object,
  type Shape,
  tagged,
  text,
} from "./shape.ts";

const one: Shape = (value, leniency) =>
  value === 0 ? fault(value, "it must be 1 or more") : count(value, leniency);

/** Tokens: so few that no sum of them is too large to be a number. */
const tokens: Shape = (value, leniency) =>
  (value as number) > Number.MAX_SAFE_INTEGER
    ? fault(value, `it must be ${Number.MAX_SAFE_INTEGER} or less`)
    : amount(value, leniency);

const provenance = object({ source: text, version: text }, { trust: text });
const type = text;

/** A {@link ContentBlock}. */
export const contentBlock: Shape = tagged("type", {
  text: object({ type, text }),
  tool_call: object({ type, toolCallId: text, name: text, arguments: anyJson }),
  tool_result: object({ type, toolCallId: text, text, isError: bool }),
});

/** A {@link Message}. */
export const message: Shape = object(
  { role: member(ROLES), content: list(contentBlock, 1) },
  { providerData: anyJson, provenance },
);

/** An {@link Injection}. */
export const injection: Shape = object({ entryId: text, content: text }, { provenance });

/** A {@link RunContext}. */
export const runContext: Shape = object({ runLevel: list(message), goalLevel: list(message) });

const usage = object({}, Object.fromEntries(USAGE_PARTS.map((part) => [part, tokens])));

const replyToolCall = object(
  { name: text, arguments: anyJson, rawArguments: text },
  { id: text, argumentsError: text },
);

/** A {@link ModelReply}. */
export const modelReply: Shape = object({ text }, {
  reasoning: text,
  toolCalls: list(replyToolCall),
  finishReason: member(FINISH_REASONS),
  rawFinishReason: text,
  usage,
  servedModel: text,
  responseId: text,
  providerData: anyJson,
});

const plannedAction = object({ action: anyJson }, {
  toolName: text,
  toolCall: object({ name: text, arguments: anyJson }, { id: text }),
});

/** A {@link Decision}. */
export const decision: Shape = tagged("kind", {
  action: object({ kind: text, actions: list(plannedAction, 1) }),
  final_answer: object({ kind: text, answer: anyJson }),
  invalid: object({ kind: text, explanation: text }),
});

const outcomeFields = {
  failed: bool,
  observation: text,
  observationSynthetic: bool,
  completed: bool,
  truncatedChars: count,
};

/** An {@link ActionOutcome}, as an executor gives it. */
export const actionOutcome: Shape = object({
  status: member(ACTION_STATUSES.filter((status) => status !== "unknown")),
  ...outcomeFields,
});

/** What `approveAction` answers. */
export const approval: Shape = (value, leniency) =>
  object({ allow: bool }, Object(value).allow === false ? { reason: text } : {})(value, leniency);

/** What `resolveUnknownAction` answers. */
export const resolution: Shape = tagged("kind", {
  happened: object({ kind: text, outcome: actionOutcome }),
  did_not_happen: object({ kind: text }),
  unknown: object({ kind: text }),
});

/** A flat map of texts. */
export const texts: Shape = mapOf(text);

const errorInfo = object({ name: text, message: text });

/** A {@link ToolSchema}. */
export const toolSchema: Shape = object({ name: text, description: text, parameters: anyJson });

const inputs = object({ context: runContext, injections: mapOf(list(injection)) }, {
  tools: list(toolSchema),
});

const counters = object({
  steps: count,
  modelCalls: count,
  totalTokens: amount,
  largestPromptChars: count,
});

const recordShapes: Readonly<Record<LogRecord["type"], Shape>> = {
  run_started: object({
    type,
    runId: text,
    parameters: mapOf(text),
    contextDigest: digestText,
    runtime: object({ polyloop: text }, { deno: text }),
    at: instant,
  }, { inputs }),
  model_call_intent: object({
    type,
    stepIndex: count,
    callId: text,
    attempt: one,
    promptDigest: digestText,
    promptChars: count,
    promptMessages: count,
    at: instant,
  }),
  model_reply: object({ type, stepIndex: count, callId: text, attempt: one, reply: modelReply }),
  decision: object({ type, stepIndex: count, decision, historyText: text }),
  action_intent: object({
    type,
    stepIndex: count,
    ordinal: count,
    actionId: text,
    attempt: one,
    replayPolicy: member(REPLAY_POLICIES),
    at: instant,
  }, { resolvedBy: text }),
  action_result: object({
    type,
    stepIndex: count,
    ordinal: count,
    actionId: text,
    status: member(ACTION_STATUSES),
    ...outcomeFields,
    toolCompletes: bool,
    durationMs: amount,
  }, { error: errorInfo, denial: object({ by: text }, { reason: text }), resolvedBy: text }),
  step: object({ type, stepIndex: count, outcome: member(STEP_OUTCOMES), durationMs: amount }, {
    observation: text,
    observationSynthetic: bool,
    error: errorInfo,
  }),
  run_finished: object({
    type,
    stopReason: member(STOP_REASONS),
    stopConditions: list(member(STOP_REASONS), 1),
    counters,
    abandoned: list(text),
    at: instant,
  }, { answer: anyJson, promptChars: count }),
};

/** A {@link LogRecord}. */
export const logRecord: Shape = tagged(
  "type",
  Object.fromEntries(LOG_RECORD_TYPES.map((kind) => [kind, recordShapes[kind]])),
);

/** The JSON of an entry's line, whose framing has been read. */
export const logEntry: Shape = object({
  schema: text,
  seq: count,
  prev: text,
  records: list(logRecord, 1),
  hash: text,
});
