import {
  COMPLETIONS,
  type ErrorInfo,
  type FinishReason,
  type JsonValue,
  present,
  type StopReason,
  type Usage,
} from "../../types/mod.ts";

/** A value of an attribute; numbers say of which of OpenTelemetry's two types they are. */
export type SpanValue =
  | string
  | readonly string[]
  | { readonly integer: number }
  | { readonly double: number };

/** The attributes of a span. */
export type SpanAttributes = Readonly<Record<string, SpanValue>>;

/** A span as it begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly attributes: SpanAttributes;
}

/** A span as it ends. */
export interface SpanEnd {
  readonly attributes: SpanAttributes;
  /** What is wrong with what it stands for. Absent: nothing. */
  readonly error?: string;
}

/** A span of which all is known. */
export interface TimedSpan {
  /** What it is of: the run's id, a call's or an action's. */
  readonly id: string;
  readonly start: SpanStart;
  readonly end: SpanEnd;
  readonly startMs: number;
  readonly endMs: number;
}

/** What is the same for every span of an agent. */
export interface SpanOptions {
  readonly provider: string;
  readonly model?: string | undefined;
  readonly agentName?: string | undefined;
  readonly content: boolean;
}

/** How a part of a run ends that the run outlived: what is to come of it is another part's. */
export const ABANDONED: SpanEnd = { attributes: {}, error: "abandoned" };

/** A run, or the part of it that one process drove. */
export function agentSpan(
  { runId, plan }: { readonly runId: string; readonly plan?: string | undefined },
  { provider, model, agentName }: SpanOptions,
): SpanStart {
  return {
    name: named("invoke_agent", agentName),
    kind: "internal",
    attributes: present({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      "gen_ai.agent.name": agentName,
      "gen_ai.conversation.id": runId,
      "polyloop.run.id": runId,
      "polyloop.resume.plan": plan,
    }),
  };
}

/** What a run came to. */
export interface AgentEnd {
  readonly stopReason: StopReason;
  readonly stopConditions: readonly StopReason[];
  readonly usage: Usage;
  readonly logHead?: string | undefined;
  readonly answer?: JsonValue | undefined;
}

/** The end of a run. */
export function agentEnd(
  { stopReason, stopConditions, usage, logHead, answer }: AgentEnd,
  { content }: SpanOptions,
): SpanEnd {
  const attributes = present({
    ...usageAttributes(usage),
    "gen_ai.output.messages": content && answer !== undefined ? outputMessages(answer) : undefined,
    "polyloop.stop_reason": stopReason,
    "polyloop.stop_conditions": stopConditions,
    "polyloop.log_head": logHead,
  });
  return COMPLETIONS.includes(stopReason) ? { attributes } : { attributes, error: stopReason };
}

/** The end of a part of a run that can be resumed. */
export function suspendedEnd(
  { why, error, usage }: {
    readonly why: string;
    readonly error?: ErrorInfo | undefined;
    readonly usage: Usage;
  },
): SpanEnd {
  const attributes = { ...usageAttributes(usage), "polyloop.suspended": why };
  return error === undefined ? { attributes } : { attributes, error: errorType(error) };
}

/** Where an agent is in its run. */
export interface StepPlace {
  readonly runId: string;
  readonly stepIndex: number;
  readonly attempt: number;
}

/** Which model call it is. */
export interface CallPlace extends StepPlace {
  /** What it is for. Absent: the step's decision. */
  readonly purpose?: "summary" | undefined;
}

/** A model call. */
export function chatSpan(place: CallPlace, { provider, model, agentName }: SpanOptions): SpanStart {
  return {
    name: named("chat", model),
    kind: "client",
    attributes: present({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      "gen_ai.agent.name": agentName,
      "gen_ai.conversation.id": place.runId,
      ...placeAttributes(place),
      "polyloop.call.purpose": place.purpose,
    }),
  };
}

/** What a reply says of itself. */
export interface ReplyFacts {
  /** Seconds from the call's start to the first piece of the reply. Absent: nobody listened. */
  readonly firstPieceSeconds?: number | undefined;
  readonly finishReason?: FinishReason | undefined;
  readonly servedModel?: string | undefined;
  readonly responseId?: string | undefined;
  readonly usage?: Usage | undefined;
}

/** The end of a model call that was answered. */
export function chatEnd(
  { finishReason, servedModel, responseId, usage, firstPieceSeconds: double }: ReplyFacts,
): SpanEnd {
  return {
    attributes: present({
      "gen_ai.response.finish_reasons": finishReason === undefined ? undefined : [finishReason],
      "gen_ai.response.model": servedModel,
      "gen_ai.response.id": responseId,
      "gen_ai.response.time_to_first_chunk": double === undefined ? undefined : { double },
      ...usageAttributes(usage),
    }),
  };
}

/** The end of a model call without a reply. */
export function failedChatEnd(error: ErrorInfo | undefined): SpanEnd {
  return { attributes: {}, error: error === undefined ? "unknown" : errorType(error) };
}

function errorType({ kind, name }: ErrorInfo): string {
  return kind ?? name;
}

/** An action. */
export interface ActionFacts extends StepPlace {
  readonly actionId: string;
  readonly action: JsonValue;
  readonly toolName?: string | undefined;
}

/** The execution of an action. */
export function toolSpan(action: ActionFacts, { agentName, content }: SpanOptions): SpanStart {
  const { toolName, actionId } = action;
  return {
    name: named("execute_tool", toolName),
    kind: "internal",
    attributes: present({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": toolName ?? "action",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": actionId,
      "gen_ai.tool.call.arguments": content ? argumentsOf(action) : undefined,
      "gen_ai.agent.name": agentName,
      ...placeAttributes(action),
    }),
  };
}

/** What became of an action. */
export interface ActionEnd {
  readonly status: string;
  readonly failed?: boolean | undefined;
  readonly observation?: string | undefined;
}

/** The end of an action. */
export function toolEnd(
  { status, failed, observation }: ActionEnd,
  { content }: SpanOptions,
): SpanEnd {
  const attributes = present({
    "polyloop.action.status": status,
    "gen_ai.tool.call.result": content ? observation : undefined,
  });
  if (status === "executed" && failed !== true) return { attributes };
  return { attributes, error: status === "executed" ? "tool_error" : status };
}

/** The usage of several replies, added up; what none of them reports is absent. */
export function addUsage(sum: Usage, more: Usage = {}): Usage {
  const added = usageEntries(more).map(([name, tokens]) => [name, (sum[name] ?? 0) + tokens]);
  return { ...sum, ...Object.fromEntries(added) };
}

const USAGE_NAMES = {
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedInputTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
} as const satisfies Readonly<Record<keyof Usage, string>>;

function usageAttributes(usage: Usage = {}): SpanAttributes {
  return Object.fromEntries(
    usageEntries(usage).map(([name, integer]) => [USAGE_NAMES[name], { integer }]),
  );
}

const USAGE_FIELDS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof Usage)[];

function usageEntries(usage: Usage): readonly (readonly [keyof Usage, number])[] {
  return USAGE_FIELDS.flatMap((name) => {
    const tokens = usage[name];
    return tokens === undefined ? [] : [[name, tokens] as const];
  });
}

function placeAttributes({ runId, stepIndex, attempt }: StepPlace): SpanAttributes {
  return {
    "polyloop.run.id": runId,
    "polyloop.step.index": { integer: stepIndex },
    "polyloop.attempt": { integer: attempt },
  };
}

function named(operation: string, of: string | undefined): string {
  return of === undefined ? operation : `${operation} ${of}`;
}

/** A tool's arguments; of an action that is no call of a tool all of it. */
function argumentsOf({ action, toolName }: ActionFacts): string {
  const { arguments: args }: { readonly arguments?: JsonValue } = Object(action);
  return JSON.stringify(toolName === undefined || args === undefined ? action : args);
}

function outputMessages(answer: JsonValue): string {
  const content = typeof answer === "string" ? answer : JSON.stringify(answer);
  return JSON.stringify([
    { role: "assistant", parts: [{ type: "text", content }], finish_reason: "stop" },
  ]);
}
