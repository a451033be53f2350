import type { ActionDecision, Decision, PlannedAction } from "./decision.ts";
import type { JsonValue } from "./json.ts";
import type { DecisionRecord, LogRecord, ModelReplyRecord } from "./log_record.ts";
import type { ModelReply, ReplyToolCall } from "./model_reply.ts";

/**
 * A tool call of a reply as the line of a log holds it: the arguments once, as the model wrote them, and parsed only
 * where the raw text does not give them to every reader of JSON.
 */
export interface StoredToolCall extends Omit<ReplyToolCall, "arguments" | "rawArguments"> {
  /** The arguments as they came. */
  readonly raw: string;
  /**
   * The parsed arguments. Absent: {@link StoredToolCall.raw} is JSON and gives them; no key stands twice in it, and each
   * number is one that JavaScript can hold.
   */
  readonly arguments?: JsonValue;
}

/** A reply as the line of a log holds it. */
export interface StoredReply extends Omit<ModelReply, "toolCalls"> {
  /** The tool calls, in order. Absent: none. */
  readonly toolCalls?: readonly StoredToolCall[];
}

/** A {@link ModelReplyRecord} as the line of a log holds it. */
export interface StoredReplyRecord extends Omit<ModelReplyRecord, "reply"> {
  /** The reply, as it was copied when it arrived. */
  readonly reply: StoredReply;
}

/** A decision for actions as the line of a log holds it. */
export interface StoredActionDecision extends Omit<ActionDecision, "actions"> {
  /**
   * The actions, in order. A number stands for the tool call of that place, from 0, in the reply of the same entry: an
   * action `{tool, arguments}` with the call's name and arguments, that name as its `toolName`, and the call as its
   * `toolCall`.
   */
  readonly actions: readonly (PlannedAction | number)[];
}

/** What a reply means, as the line of a log holds it. */
export type StoredDecision = Exclude<Decision, ActionDecision> | StoredActionDecision;

/** A {@link DecisionRecord} as the line of a log holds it. */
export interface StoredDecisionRecord extends Omit<DecisionRecord, "decision" | "historyText"> {
  /** The decision. */
  readonly decision: StoredDecision;
  /** What later prompts show of the reply. Absent: its text, as the reply of the same entry has it. */
  readonly historyText?: string;
}

/**
 * A record as the line of a log holds it: every fact once. What a decision repeats of its reply is left out where both
 * stand in one entry, as they do but for a crash or a suspension between them; so each line can be read by itself. Each
 * record has one such form, and a reader refuses any other. `encodeEntry` and `decodeLog` of `./serialization` translate
 * between these and {@link LogRecord}s.
 */
export type StoredRecord =
  | Exclude<LogRecord, ModelReplyRecord | DecisionRecord>
  | StoredReplyRecord
  | StoredDecisionRecord;
