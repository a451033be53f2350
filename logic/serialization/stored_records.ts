import {
  type Decision,
  type DecisionRecord,
  deepFreeze,
  isJsonArray,
  type JsonValue,
  type LogRecord,
  MAX_JSON_DEPTH,
  type ModelReply,
  type ModelReplyRecord,
  type PlannedAction,
  present,
  type ReplyToolCall,
  SerializationError,
  type StoredDecision,
  type StoredDecisionRecord,
  type StoredRecord,
  type StoredReply,
  type StoredReplyRecord,
  type StoredToolCall,
} from "../../types/mod.ts";
import { freezeParsed } from "./freeze_parsed.ts";
import { rawGives } from "./raw_arguments.ts";

/** The records of an entry as its line holds them. */
export function storedRecords(records: readonly LogRecord[]): readonly StoredRecord[] {
  let replied: ModelReplyRecord | undefined;
  return records.map((record) => {
    switch (record.type) {
      case "model_reply":
        replied = record;
        return { ...record, reply: storedReply(record.reply) };
      case "decision":
        return storedDecisionRecord(record, replyTo(record, replied));
      default:
        return record;
    }
  });
}

/**
 * The records that an entry's line holds, in their whole form: the inverse of {@link storedRecords}.
 *
 * @throws {SerializationError} With the path of the first record that has not the one form that it may have.
 */
export function wholeRecords(stored: readonly StoredRecord[]): readonly LogRecord[] {
  let replied: ModelReplyRecord | undefined;
  return stored.map((record, i) => {
    switch (record.type) {
      case "model_reply":
        return replied = wholeReply(record, `records[${i}]`);
      case "decision":
        return wholeDecision(record, replyTo(record, replied), `records[${i}]`);
      default:
        return record;
    }
  });
}

/** The reply that a decision is made of, where both stand in one entry. */
function replyTo(
  { stepIndex }: { readonly stepIndex: number },
  replied: ModelReplyRecord | undefined,
): ModelReply | undefined {
  return replied?.stepIndex === stepIndex ? replied.reply : undefined;
}

function storedReply(reply: ModelReply): StoredReply {
  const { toolCalls, ...others } = reply;
  return toolCalls === undefined ? others : { ...reply, toolCalls: toolCalls.map(storedCall) };
}

function storedCall(call: ReplyToolCall): StoredToolCall {
  const { id, name, arguments: args, rawArguments: raw, argumentsError } = call;
  const written = rawGives(raw, args) ? undefined : args;
  return present({ id, name, raw, arguments: written, argumentsError });
}

function storedDecisionRecord(
  { historyText, ...record }: DecisionRecord,
  reply: ModelReply | undefined,
): StoredDecisionRecord {
  const decision = storedDecision(record.decision, reply?.toolCalls ?? []);
  return historyText === reply?.text
    ? { ...record, decision }
    : { ...record, decision, historyText };
}

function storedDecision(decision: Decision, calls: readonly ReplyToolCall[]): StoredDecision {
  if (decision.kind !== "action") return decision;
  const actions = decision.actions.map((action) => placeOf(action, calls) ?? action);
  return { ...decision, actions };
}

/** The place of the first call that an action is exactly; `undefined` where it is none. */
function placeOf(action: PlannedAction, calls: readonly ReplyToolCall[]): number | undefined {
  const place = calls.findIndex((call) => isCall(action, call));
  return place === -1 ? undefined : place;
}

function isCall(planned: PlannedAction, call: ReplyToolCall): boolean {
  const { action, toolName, toolCall } = planned;
  const { id, name, arguments: args } = call;
  return toolCall !== undefined && toolName === name && toolCall.name === name &&
    toolCall.id === id && sizeOf(planned) === 3 &&
    sizeOf(toolCall) === (id === undefined ? 2 : 3) &&
    isExactly(toolCall.arguments, args) && isExactly(action, { tool: name, arguments: args });
}

function sizeOf(value: object): number {
  return Object.keys(value).length;
}

/** Whether two values are the same, the order of their keys included. */
function isExactly(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isJsonArray(a) || isJsonArray(b)) {
    return isJsonArray(a) && isJsonArray(b) && a.length === b.length &&
      a.every((item, i) => isExactly(item, b[i]));
  }
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return keys.length === others.length &&
    keys.every((key, i) => key === others[i] && isExactly(a[key], b[key]));
}

function wholeReply(record: StoredReplyRecord, path: string): ModelReplyRecord {
  const { toolCalls, ...others } = record.reply;
  const reply = toolCalls === undefined ? others : {
    ...record.reply,
    toolCalls: toolCalls.map((call, i) => wholeCall(call, `${path}.reply.toolCalls[${i}]`)),
  };
  return deepFreeze({ ...record, reply });
}

function wholeCall(call: StoredToolCall, path: string): ReplyToolCall {
  const { id, name, raw, arguments: written, argumentsError, ...later } = call;
  const args = written === undefined ? argumentsOf(raw) : written;
  if (args === undefined || rawGives(raw, args) !== (written === undefined)) {
    throw written === undefined
      ? new SerializationError(`${path}.raw`, "it does not give the arguments, which are missing")
      : new SerializationError(
        `${path}.arguments`,
        "the raw text gives them, and they must not stand twice",
      );
  }
  const whole = present({ id, name, arguments: args, rawArguments: raw, argumentsError });
  return { ...whole, ...later };
}

/** What a raw text says; nothing where it says nothing that a log may hold. */
function argumentsOf(raw: string): JsonValue | undefined {
  try {
    return freezeParsed(JSON.parse(raw), MAX_JSON_DEPTH);
  } catch {
    return undefined;
  }
}

function wholeDecision(
  record: StoredDecisionRecord,
  reply: ModelReply | undefined,
  path: string,
): DecisionRecord {
  const historyText = wholeHistoryText(record.historyText, reply?.text, `${path}.historyText`);
  const { decision } = record;
  if (decision.kind !== "action") return deepFreeze({ ...record, decision, historyText });
  const calls = reply?.toolCalls ?? [];
  const actions = decision.actions.map((stored, i) =>
    wholeAction(stored, calls, `${path}.decision.actions[${i}]`)
  );
  return deepFreeze({ ...record, decision: { ...decision, actions }, historyText });
}

function wholeHistoryText(
  stored: string | undefined,
  replied: string | undefined,
  path: string,
): string {
  const text = stored ?? replied;
  if (text === undefined) {
    throw new SerializationError(path, "it is missing, and no reply gives it");
  }
  if (stored === replied) {
    throw new SerializationError(path, "it is the reply's text, which must not stand twice");
  }
  return text;
}

function wholeAction(
  stored: PlannedAction | number,
  calls: readonly ReplyToolCall[],
  path: string,
): PlannedAction {
  const action = typeof stored === "number" ? actionOf(calls[stored]) : stored;
  const place = action && placeOf(action, calls);
  if (action !== undefined && (place ?? action) === stored) return action;
  const reason = action === undefined
    ? `the reply has no call ${stored}`
    : `it is call ${place} of the reply and must be that number`;
  throw new SerializationError(path, reason);
}

/** The action that a call is, as an interpreter of native tool calls makes it. */
function actionOf(call: ReplyToolCall | undefined): PlannedAction | undefined {
  if (call === undefined) return undefined;
  const { id, name, arguments: args } = call;
  const toolCall = present({ id, name, arguments: args });
  return { action: { tool: name, arguments: args }, toolName: name, toolCall };
}
