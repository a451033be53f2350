/**
 * An interpreter for models that act by the native protocol of their provider: tool calls beside the text. It makes its
 * runs native ones, where the tools go along with each call of the model.
 *
 * @example
 * ```ts
 * import { nativeToolsInterpreter } from "@polyloop/polyloop/adapters/native-tools-interpreter";
 * import { assertEquals } from "@std/assert";
 *
 * const interpreter = nativeToolsInterpreter();
 * const call = { id: "call_1", name: "add", arguments: { a: 1 }, rawArguments: '{"a": 1}' };
 * const context = { runId: "sum", stepIndex: 0, signal: new AbortController().signal };
 *
 * assertEquals(interpreter.interpret({ text: "", toolCalls: [call] }, context), {
 *   decision: {
 *     kind: "action",
 *     actions: [{
 *       action: { tool: "add", arguments: { a: 1 } },
 *       toolName: "add",
 *       toolCall: { id: "call_1", name: "add", arguments: { a: 1 } },
 *     }],
 *   },
 *   historyText: "",
 * });
 * ```
 *
 * @module
 */
import {
  type Decision,
  excerpt,
  fillText,
  type JsonValue,
  type KnownFields,
  type ModelReply,
  modelTexts,
  type PlannedAction,
  present,
  refuseUnknownFields,
  type ReplyToolCall,
  textDigests,
} from "../types/mod.ts";
import type { DecisionInterpreter, Interpretation, InterpretContext } from "../ports/mod.ts";
import {
  answerParameters,
  type AnswerTexts,
  TEXT_ANSWER_TEXTS,
  textAnswerDecision,
  type TextAnswerTexts,
} from "./_reading/answer_schema.ts";
import { argumentsFault } from "./_reading/arguments_fault.ts";
import { invalidDecision } from "./_reading/invalid_decision.ts";
import { hasLeakedCall } from "./_reading/leaked_tool_call.ts";
import {
  UNFINISHED_TEXTS,
  unfinishedDecision,
  unfinishedState,
  type UnfinishedTexts,
} from "./_reading/unfinished_state.ts";

export type { AnswerTexts, TextAnswerTexts, UnfinishedTexts };

/** What a {@link nativeToolsInterpreter} writes for the model. `{name}` stands for a value, put in literally. */
export interface NativeToolsTexts extends TextAnswerTexts, UnfinishedTexts {
  /**
   * A call's arguments cannot be read; there is one such text for each of them. `{tool}`: the tool it names; `{detail}`: what is wrong, and where; `{raw}`: the
   * arguments as they came, up to their first 500 code points.
   */
  readonly badArguments: string;
  /** There are no calls, and the text is one: its mark was not taken for one on the way. */
  readonly leakedCall: string;
  /** There are neither calls nor a text. */
  readonly emptyReply: string;
}

/** The texts of a {@link nativeToolsInterpreter} where none are given. */
export const NATIVE_TOOLS_TEXTS: NativeToolsTexts = Object.freeze({
  ...TEXT_ANSWER_TEXTS,
  ...UNFINISHED_TEXTS,
  badArguments:
    'The arguments of the call of "{tool}" cannot be used, so none of the calls was made: {detail}. They were: {raw}',
  leakedCall:
    "Your call came as text, so nothing was done. Call the tool again, by a tool call and not in the text.",
  emptyReply: "The reply is empty, so nothing was done. Call a tool, or write the final answer.",
});

/** How to read replies. */
export interface NativeToolsInterpreterOptions {
  /**
   * The JSON Schema of the final answer, which must then be JSON, bare or in its only block marked `json`: the answer
   * is what it says. One that does not fit is invalid. Absent: the answer is any string.
   */
  readonly answerSchema?: JsonValue | object;
  /**
   * Replaces texts of {@link NATIVE_TOOLS_TEXTS}.
   *
   * @default {NATIVE_TOOLS_TEXTS}
   */
  readonly texts?: Partial<NativeToolsTexts>;
}

/** How many code points of arguments that cannot be used are quoted: they are in history nowhere else. */
const QUOTED_CHARS = 500;

const OPTIONS: KnownFields<NativeToolsInterpreterOptions> = {
  answerSchema: true,
  texts: true,
};

/**
 * Reads a reply's tool calls as actions `{ tool, arguments }`, in order; a reply without calls is the final answer, its
 * text. What the reply holds decides: calls are made although the finish reason says `stop`.
 *
 * Invalid, and none of its calls executed: a reply that ends too early (`length`, `pause`: a call may be cut) or was
 * withdrawn (`content_filter`, `refusal`: neither its text nor its calls are the model's answer, be they there or not);
 * one with a call that could not be read (`malformed`), or whose arguments could not be, which are never replaced by
 * others. Without calls: one that announces some (`tool_calls`), that ends for a reason that nobody knows (`unknown`),
 * whose text is blank, or begins or ends with a call in the marks of some model or in just the form of one. Provider
 * ids are kept as data and may repeat.
 *
 * @throws {InvalidRequestError} If there is no option of a name, or a text is not a string.
 * @throws {UnsupportedSchemaError} If the answer's schema is none that can be checked.
 */
export function nativeToolsInterpreter(
  options: NativeToolsInterpreterOptions = {},
): DecisionInterpreter {
  refuseUnknownFields(options, OPTIONS);
  const texts = modelTexts(NATIVE_TOOLS_TEXTS, options.texts);
  const decideAnswer = textAnswerDecision(options.answerSchema, texts);
  const schemaDigest = answerParameters(options.answerSchema);

  const read = (reply: ModelReply, toolNames: readonly string[] | undefined): Decision => {
    const calls = reply.toolCalls ?? [];
    const unfinished = unfinishedState(reply);
    if (unfinished?.kind !== "withdrawn" && calls.length === 0) {
      const isAnswer = unfinished === undefined && options.answerSchema !== undefined &&
        decideAnswer(reply.text).kind === "final_answer";
      if (!isAnswer && hasLeakedCall(reply.text, toolNames)) {
        return invalidDecision(texts.leakedCall);
      }
    }
    if (unfinished !== undefined) return unfinishedDecision(unfinished, texts);
    const faults = calls.flatMap((call) => {
      const detail = argumentsFault(call);
      if (detail === undefined) return [];
      const raw = excerpt(call.rawArguments, QUOTED_CHARS);
      return [fillText(texts.badArguments, { tool: call.name, detail, raw })];
    });
    if (faults.length > 0) return { kind: "invalid", explanation: faults.join("\n") };
    if (calls.length > 0) return { kind: "action", actions: calls.map(planned) };
    if (reply.text.trim() === "") return invalidDecision(texts.emptyReply);
    return decideAnswer(reply.text);
  };

  return {
    toolProtocol: "native",
    interpret: (reply: ModelReply, { toolNames }: InterpretContext): Interpretation => ({
      decision: read(reply, toolNames),
      historyText: reply.text,
    }),
    parameters: () => ({
      kind: "native_tools",
      ...schemaDigest,
      ...textDigests(texts),
    }),
  };
}

function planned(call: ReplyToolCall): PlannedAction {
  const { id, name } = call;
  return {
    action: { tool: name, arguments: call.arguments },
    toolName: name,
    toolCall: present({ id, name, arguments: call.arguments }),
  };
}
