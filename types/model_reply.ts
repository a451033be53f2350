import { InvalidRequestError } from "./_errors/request_errors.ts";
import { requireCount } from "./_errors/require_type.ts";
import type { Usage } from "./budget.ts";
import type { ModelRetry } from "./_errors/error_info.ts";
import type { JsonValue } from "./json.ts";

/**
 * Why a model stopped writing, in the library's words. What the reply holds decides; this alone never does.
 *
 * - `stop`: it had said all.
 * - `tool_calls`: it wants tools to be called.
 * - `length`: a limit cut it off.
 * - `content_filter`: the provider withdrew the reply.
 * - `refusal`: the model refused.
 * - `pause`: the provider interrupted a long turn.
 * - `malformed`: it made a tool call that the provider could not read.
 * - `unknown`: another reason than these.
 */
export type FinishReason = (typeof FINISH_REASONS)[number];

/** Every {@link FinishReason}. */
export const FINISH_REASONS = [
  "stop",
  "tool_calls",
  "length",
  "content_filter",
  "refusal",
  "pause",
  "malformed",
  "unknown",
] as const;

/** A tool call of a reply, as the model adapter read it. */
export interface ReplyToolCall {
  /** The provider's id. It may repeat: history uses ids of its own. Absent: the provider gave none. */
  readonly id?: string;
  /** The tool's name. */
  readonly name: string;
  /** The parsed arguments; `null` where they could not be read, never `{}` in their place. */
  readonly arguments: JsonValue;
  /** The arguments as they came. */
  readonly rawArguments: string;
  /** What is wrong with the arguments. Absent: nothing. A call that has it is never executed. */
  readonly argumentsError?: string;
}

/** What a model answered. */
export interface ModelReply {
  /** The visible text; empty where there is none. */
  readonly text: string;
  /** The text as it came, with the thoughts that it began with. Absent: it is `text`. */
  readonly rawText?: string;
  /** The reasoning text. Absent: none was given. */
  readonly reasoning?: string;
  /** The tool calls, in order. Absent: none. */
  readonly toolCalls?: readonly ReplyToolCall[];
  /** Why the model stopped. Absent: the adapter cannot tell. */
  readonly finishReason?: FinishReason;
  /** The provider's own word for it. */
  readonly rawFinishReason?: string;
  /** Tokens, as reported. Absent: none were reported. */
  readonly usage?: Usage;
  /** The model that the provider says it served. */
  readonly servedModel?: string;
  /** The provider's id of the response. */
  readonly responseId?: string;
  /** Opaque data for the adapter, handed back to it in history as it was. */
  readonly providerData?: JsonValue;
  /**
   * How many times a secret of the request stood in the answer, such as its key: `[hidden]` is in its place. Absent: not
   * once.
   */
  readonly hiddenSecrets?: number;
  /** The attempts before the one that brought this reply. Absent: there were none. */
  readonly retries?: readonly ModelRetry[];
  /** Which of several models replied: its place, from 0. Absent: the port has one. */
  readonly servedBy?: number;
}

/**
 * The input and output tokens that a reply reports, added up; 0 where it reports none, for no call takes none: a usage of
 * zeros is no report.
 *
 * @throws {InvalidRequestError} If it is no reply, or its usage none.
 */
export function totalTokens(reply: ModelReply): number {
  if (typeof reply !== "object" || reply === null) {
    throw new InvalidRequestError("reply", reply, "it must be a model's reply");
  }
  const { inputTokens = 0, outputTokens = 0 } = reply.usage ?? {};
  requireCount("usage.inputTokens", inputTokens);
  requireCount("usage.outputTokens", outputTokens);
  return inputTokens + outputTokens;
}
