/**
 * An interpreter for models that act by writing one JSON object: a tool with its arguments, or a final answer. The
 * prompt has to tell the model so, and which tools there are: nothing is added to the messages of the run's context.
 *
 * @example
 * ```ts
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { assertEquals } from "@std/assert";
 *
 * const interpreter = jsonActionInterpreter();
 * const text = '{"tool": "add", "arguments": {"a": 1, "b": 2}}';
 * const context = { runId: "sum", stepIndex: 0, signal: new AbortController().signal };
 *
 * assertEquals(interpreter.interpret({ text }, context), {
 *   decision: {
 *     kind: "action",
 *     actions: [{ action: { tool: "add", arguments: { a: 1, b: 2 } }, toolName: "add" }],
 *   },
 *   historyText: text,
 * });
 * ```
 *
 * @module
 */
import {
  type Decision,
  isJsonObject,
  type JsonValue,
  type KnownFields,
  type ModelReply,
  modelTexts,
  refuseUnknownFields,
  textDigests,
} from "../types/mod.ts";
import type { DecisionInterpreter, Interpretation } from "../ports/mod.ts";
import { parseFaithfulJson } from "../logic/tools/mod.ts";
import {
  answerDecision,
  answerParameters,
  type AnswerTexts,
  TEXT_ANSWER_TEXTS,
} from "./_reading/answer_schema.ts";
import { invalidDecision } from "./_reading/invalid_decision.ts";
import { findJson } from "./_reading/json_in_text.ts";
import { jsonTypeName } from "./_reading/json_type_name.ts";
import { NESTED_FENCE } from "./_reading/invalid_reply_texts.ts";
import {
  UNFINISHED_TEXTS,
  unfinishedDecision,
  unfinishedState,
  type UnfinishedTexts,
} from "./_reading/unfinished_state.ts";

export type { AnswerTexts, UnfinishedTexts };

/** What a {@link jsonActionInterpreter} writes for the model. `{name}` stands for a value, put in literally. */
export interface JsonActionTexts extends AnswerTexts, UnfinishedTexts {
  /** The reply is neither JSON nor has a json block. */
  readonly noJson: string;
  /** The reply has more than one json block, or is more than one JSON text. `{count}`: how many. */
  readonly severalBlocks: string;
  /** The json block is never closed. `{line}`: the line that it starts in, from 1. */
  readonly unclosedBlock: string;
  /** A block has a fence inside it. `{line}`: the line that it starts in; `{innerLine}`: that of the fence in it. */
  readonly nestedBlock: string;
  /** The JSON cannot be read, or not without changing it. `{detail}`: what is wrong with it, and where. */
  readonly badJson: string;
  /** The JSON is not an object. `{type}`: what it is. */
  readonly notAnObject: string;
  /** The object has other keys than those of one form. `{keys}`: those that it has. */
  readonly wrongKeys: string;
  /** The name of the tool is not a string, or is empty. `{type}`: what it is. */
  readonly badToolName: string;
  /** The reply has tool calls of the native protocol. */
  readonly toolCalls: string;
}

const FORMS = 'Write exactly one JSON object: {"tool": "<name>", "arguments": {…}} to act, or ' +
  '{"final_answer": …} to finish.';

/** The texts of a {@link jsonActionInterpreter} where none are given. */
export const JSON_ACTION_TEXTS: JsonActionTexts = Object.freeze({
  badAnswer: TEXT_ANSWER_TEXTS.badAnswer,
  violation: TEXT_ANSWER_TEXTS.violation,
  ...UNFINISHED_TEXTS,
  noJson: `The reply is not a JSON object and has no json block, so nothing was done. ${FORMS}`,
  severalBlocks:
    `The reply has several json blocks or objects, {count} of them, so nothing was done. ${FORMS}`,
  unclosedBlock:
    "The json block that starts in line {line} is never closed, so nothing was done. Send it again, whole.",
  nestedBlock: NESTED_FENCE,
  badJson: `The JSON cannot be used, so nothing was done: {detail}. ${FORMS}`,
  notAnObject: `The JSON is not an object but {type}, so nothing was done. ${FORMS}`,
  wrongKeys:
    `The object has the keys {keys}, so nothing was done. It must have exactly "tool" and "arguments", ` +
    'or exactly "final_answer".',
  badToolName: 'The value of "tool" is {type}, so nothing was done. It must be the name of a tool.',
  toolCalls:
    `The reply calls tools natively, which is not possible here, so nothing was done. ${FORMS}`,
});

/** How to read replies. */
export interface JsonActionInterpreterOptions {
  /** The JSON Schema of the final answer. One that does not fit is invalid. Absent: any JSON is an answer. */
  readonly answerSchema?: JsonValue | object;
  /**
   * Replaces texts of {@link JSON_ACTION_TEXTS}.
   *
   * @default {JSON_ACTION_TEXTS}
   */
  readonly texts?: Partial<JsonActionTexts>;
}

const OPTIONS: KnownFields<JsonActionInterpreterOptions> = {
  answerSchema: true,
  texts: true,
};

/**
 * Reads a reply's one JSON object: exactly `{ tool, arguments }` is an action of that form, exactly
 * `{ final_answer }` is the answer, any JSON. The object is the whole reply, or stands in its only fenced block marked
 * `json`; what follows the block is cut from history.
 *
 * Invalid, and never executed: other keys or both forms; several json blocks or objects, or a block that is not closed
 * or has a fence inside it; JSON that cannot be read without changing it (see {@link parseFaithfulJson}: nothing is
 * repaired); a reply that ends too early (`length`, `pause`), was withdrawn (`content_filter`, `refusal`, `malformed`),
 * ends for a reason that nobody knows (`unknown`) or announces calls (`tool_calls`); one with tool calls of the native
 * protocol. The explanation says what is wrong and where. Whether the tool exists and takes these arguments is for the
 * executor.
 *
 * @throws {InvalidRequestError} If there is no option of a name, or a text is not a string.
 * @throws {UnsupportedSchemaError} If the answer's schema is none that can be checked.
 */
export function jsonActionInterpreter(
  options: JsonActionInterpreterOptions = {},
): DecisionInterpreter {
  refuseUnknownFields(options, OPTIONS);
  const texts = modelTexts(JSON_ACTION_TEXTS, options.texts);
  const decideAnswer = answerDecision(options.answerSchema, texts);
  const schemaDigest = answerParameters(options.answerSchema);

  const readValue = (value: JsonValue): Decision => {
    if (!isJsonObject(value)) {
      return invalidDecision(texts.notAnObject, { type: jsonTypeName(value) });
    }
    const keys = Object.keys(value).sort();
    const { final_answer: answer, tool: toolName } = value;
    if (keys.join() === "final_answer" && answer !== undefined) return decideAnswer(answer);
    if (keys.join() !== "arguments,tool" || toolName === undefined) {
      const shown = keys.map((key) => JSON.stringify(key)).join(", ");
      return invalidDecision(texts.wrongKeys, { keys: shown === "" ? "(none)" : shown });
    }
    if (typeof toolName !== "string" || toolName === "") {
      return invalidDecision(texts.badToolName, { type: jsonTypeName(toolName) });
    }
    return { kind: "action", actions: [{ action: value, toolName }] };
  };

  const read = (reply: ModelReply, found: ReturnType<typeof findJson>): Decision => {
    const unfinished = unfinishedState(reply);
    if (unfinished !== undefined) return unfinishedDecision(unfinished, texts);
    if (reply.toolCalls !== undefined && reply.toolCalls.length > 0) {
      return invalidDecision(texts.toolCalls);
    }
    switch (found.kind) {
      case "none":
        return invalidDecision(texts.noJson);
      case "several":
        return invalidDecision(texts.severalBlocks, { count: found.count });
      case "nested":
        return invalidDecision(texts.nestedBlock, {
          line: found.line,
          innerLine: found.innerLine,
        });
      case "unclosed":
        return invalidDecision(texts.unclosedBlock, { line: found.line });
      case "json": {
        const parsed = parseFaithfulJson(found.json);
        return parsed.ok
          ? readValue(parsed.value)
          : invalidDecision(texts.badJson, { detail: parsed.detail });
      }
    }
  };

  return {
    toolProtocol: "text",
    interpret(reply: ModelReply): Interpretation {
      const found = findJson(reply.text);
      return { decision: read(reply, found), historyText: reply.text.slice(0, found.end) };
    },
    parameters: () => ({
      kind: "json_action",
      ...schemaDigest,
      ...textDigests(texts),
    }),
  };
}
