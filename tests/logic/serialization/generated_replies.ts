/**
 * Replies with tool calls, and decisions on them, drawn with a fixed seed: raw texts that give their arguments in every
 * spelling, and texts that do not; actions that are a call of the reply, and actions that are only like one.
 *
 * @module
 */
import {
  type DecisionRecord,
  type JsonValue,
  type ModelReplyRecord,
  type PlannedAction,
  present,
  type ReplyToolCall,
} from "../../../types/mod.ts";
import { drawing, jsonValue } from "../../types/json_values.ts";

type Draw = (below: number) => number;

/** A reply, and what was decided on it. */
export interface RepliedDecision {
  readonly reply: ModelReplyRecord;
  readonly decision: DecisionRecord;
}

const TEXTS = ["", "Let me look.", "I say."] as const;

/** So many replies, each of a step of its own. */
export function* repliedDecisions(count: number, seed: number): Generator<RepliedDecision> {
  const draw = drawing(seed);
  for (let stepIndex = 0; stepIndex < count; stepIndex++) {
    const toolCalls = Array.from({ length: draw(4) }, () => toolCall(draw));
    const text = TEXTS[draw(3)]!;
    const reply = { text, ...(toolCalls.length + draw(2) > 0 && { toolCalls }) };
    const actions = Array.from({ length: 1 + draw(4) }, () => plannedAction(draw, toolCalls));
    yield {
      reply: { type: "model_reply", stepIndex, callId: `r/s${stepIndex}`, attempt: 1, reply },
      decision: {
        type: "decision",
        stepIndex,
        decision: draw(9) === 0
          ? { kind: "final_answer", answer: draw(9) }
          : { kind: "action", actions },
        historyText: draw(2) === 0 ? text : TEXTS[draw(3)]!,
      },
    };
  }
}

function toolCall(draw: Draw): ReplyToolCall {
  const meant = jsonValue(draw, 3);
  const raw = rawText(draw, meant);
  const given = draw(8);
  const args = given === 0
    ? null
    : given === 1
    ? jsonValue(draw, 2)
    : given < 6
    ? meant
    : read(raw);
  return present({
    id: draw(3) === 0 ? undefined : `call_${draw(2)}`,
    name: draw(2) === 0 ? "look" : "say",
    arguments: args,
    rawArguments: raw,
    argumentsError: args === null && draw(2) === 0 ? "invalid_json" : undefined,
  });
}

/** What an adapter reads that trusts `JSON.parse`: `null` where that refuses, or gives what no record may hold. */
function read(raw: string): JsonValue {
  try {
    const value = JSON.parse(raw);
    return /-0|e999/.test(raw) ? null : value;
  } catch {
    return null;
  }
}

const ODD_TEXTS = [
  "",
  " ",
  "{",
  "1 2",
  '{"a":1,"a":2}',
  "-0",
  "[1e999]",
  "null",
  '"\\ud83c"',
  "\ud83c",
];

function rawText(draw: Draw, value: JsonValue): string {
  switch (draw(6)) {
    case 0:
      return JSON.stringify(value);
    case 1:
      return JSON.stringify(value, null, draw(3));
    case 2:
      return ODD_TEXTS[draw(ODD_TEXTS.length)]!;
    case 3:
      return spelled(draw, value).slice(0, -1);
    default:
      return spelled(draw, value);
  }
}

const GAPS = ["", "", " ", "\n\t", "\r\n  "];
const NUMBERS = [
  "7.0",
  "7.50",
  "7e2",
  "0.0000001",
  "-0.0",
  "12345678901234567890",
  "900719925474099.10",
];

/** A text that means a value, more or less: gaps, escapes, keys that stand twice, and numbers in the place of 0. */
export function spelled(draw: Draw, value: JsonValue): string {
  const gap = () => GAPS[draw(GAPS.length)]!;
  const inner = (): string => {
    if (typeof value === "string") return spelledText(draw, value);
    if (value === 0) return NUMBERS[draw(NUMBERS.length)]!;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const parts = Array.isArray(value)
      ? value.map((item) => spelled(draw, item))
      : Object.entries(value).map(([key, member]) =>
        `${gap()}${spelledText(draw, key)}${gap()}:${spelled(draw, member)}`
      );
    if (parts.length > 0 && draw(20) === 0) parts.push(parts[0]!);
    return Array.isArray(value) ? `[${parts.join(",")}${gap()}]` : `{${parts.join(",")}${gap()}}`;
  };
  return `${gap()}${inner()}${gap()}`;
}

function spelledText(draw: Draw, text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  const escape = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`;
  return draw(3) > 0 ? JSON.stringify(text) : `"${units.map(escape).join("")}"`;
}

function plannedAction(draw: Draw, calls: readonly ReplyToolCall[]): PlannedAction {
  const call = calls[draw(calls.length + 1)];
  if (call === undefined) return { action: jsonValue(draw, 2) };
  const { id, name, arguments: args } = call;
  const action = { tool: name, arguments: args };
  const exact = { action, toolName: name, toolCall: present({ id, name, arguments: args }) };
  switch (draw(12)) {
    case 0:
      return { ...exact, action: { arguments: args, tool: name } };
    case 1:
      return { ...exact, action: { ...action, more: null } };
    case 2:
      return { ...exact, toolName: "other" };
    case 3:
      return { action, toolCall: exact.toolCall };
    case 4:
      return { action, toolName: name };
    case 5:
      return { ...exact, toolCall: { ...exact.toolCall, id: "other" } };
    case 6:
      return { ...exact, toolCall: { ...exact.toolCall, arguments: jsonValue(draw, 1) } };
    default:
      return exact;
  }
}
