/**
 * An interpreter for models that act by writing code: the first fenced block of a reply is the action. The prompt has
 * to tell the model so: nothing is added to the messages of the run's context.
 *
 * @example
 * ```ts
 * import { codeFenceInterpreter } from "@polyloop/polyloop/adapters/code-fence-interpreter";
 * import { assertEquals } from "@std/assert";
 *
 * const interpreter = codeFenceInterpreter({ languages: ["ts"] });
 * const text = "I add them.\n~~~ts\n1 + 2\n~~~\nOutput: 4";
 * const context = { runId: "sum", stepIndex: 0, signal: new AbortController().signal };
 *
 * assertEquals(interpreter.interpret({ text }, context), {
 *   decision: { kind: "action", actions: [{ action: { language: "ts", code: "1 + 2" } }] },
 *   historyText: "I add them.\n~~~ts\n1 + 2\n~~~",
 * });
 * ```
 *
 * @module
 */
import {
  type Decision,
  InvalidRequestError,
  type JsonValue,
  type KnownFields,
  type ModelReply,
  modelTexts,
  refuseUnknownFields,
  textDigests,
} from "../types/mod.ts";
import type { DecisionInterpreter, Interpretation } from "../ports/mod.ts";
import {
  answerParameters,
  type AnswerTexts,
  TEXT_ANSWER_TEXTS,
  textAnswerDecision,
  type TextAnswerTexts,
} from "./_reading/answer_schema.ts";
import { type Fence, fences } from "./_reading/fence.ts";
import { invalidDecision } from "./_reading/invalid_decision.ts";
import { hasLeakedCall } from "./_reading/leaked_tool_call.ts";
import { NESTED_FENCE } from "./_reading/invalid_reply_texts.ts";
import {
  UNFINISHED_TEXTS,
  unfinishedDecision,
  unfinishedState,
  type UnfinishedTexts,
} from "./_reading/unfinished_state.ts";

export type { AnswerTexts, TextAnswerTexts, UnfinishedTexts };

/** What a {@link codeFenceInterpreter} writes for the model. `{name}` stands for a value, put in literally. */
export interface CodeFenceTexts extends TextAnswerTexts, UnfinishedTexts {
  /** The reply has no fenced block, and is no final answer. `{markers}`: the words that a block may be marked with. */
  readonly noBlock: string;
  /** The first block has another marker, or none. `{marker}`: what it has; `{markers}`: what it may have. */
  readonly otherLanguage: string;
  /** The first block is never closed. `{line}`: the line that it starts in, from 1. */
  readonly unclosedBlock: string;
  /** The first block has a fence inside it. `{line}`: the line that it starts in; `{innerLine}`: that of the fence in it. */
  readonly nestedBlock: string;
  /** The reply has tool calls. */
  readonly toolCalls: string;
}

/** The texts of a {@link codeFenceInterpreter} where none are given. */
export const CODE_FENCE_TEXTS: CodeFenceTexts = Object.freeze({
  ...TEXT_ANSWER_TEXTS,
  ...UNFINISHED_TEXTS,
  noBlock:
    "The reply has no fenced code block, so nothing was done. Write one block, marked with one of: {markers}.",
  otherLanguage:
    'The first fenced block is marked "{marker}", so nothing was done. Mark it with one of: {markers}.',
  unclosedBlock:
    "The fenced block that starts in line {line} is never closed, so nothing was done. Send it again, whole.",
  nestedBlock: NESTED_FENCE,
  toolCalls:
    "The reply calls tools, which is not possible here, so nothing was done. Write a fenced block instead.",
});

/** How to read replies. */
export interface CodeFenceInterpreterOptions {
  /**
   * The markers that a block of code may have, such as `["ts", "typescript"]`: single words, compared without regard
   * to case. The action's `language` is the word as it is written here.
   */
  readonly languages: readonly string[];
  /**
   * What a final answer is:
   *
   * - `"text"`: a reply without any fenced block; the answer is its text.
   * - `{ marker: "answer" }`: a first block with this marker; the answer is what is in it.
   * - `"none"`: nothing is; the environment or a limit ends the run.
   *
   * @default {"text"}
   */
  readonly finalAnswer?: "text" | "none" | { readonly marker: string };
  /**
   * The JSON Schema of the final answer, which must then be JSON: the answer is what it says. One that does not fit is
   * invalid. Absent: the answer is any string.
   */
  readonly answerSchema?: JsonValue | object;
  /**
   * Replaces texts of {@link CODE_FENCE_TEXTS}.
   *
   * @default {CODE_FENCE_TEXTS}
   */
  readonly texts?: Partial<CodeFenceTexts>;
}

const OPTIONS: KnownFields<CodeFenceInterpreterOptions> = {
  languages: true,
  finalAnswer: true,
  answerSchema: true,
  texts: true,
};

/**
 * Reads a reply's first fenced block (backticks or tildes) as the action `{ language, code }`. Everything after it is
 * cut from history, since models invent the output of their code there.
 *
 * Invalid, and never executed: a first block with another marker or none, that is never closed, or that has a fence
 * with a word after it inside it, so that nobody can tell where it ends (a longer fence around it can); a reply that
 * ends too early (finish reason `length` or `pause`) before its first block is closed; one that was withdrawn
 * (`content_filter`, `refusal`, `malformed`); one with tool calls. A reply without a closed block that ends for a reason
 * that nobody knows (`unknown`), or announces calls and has none (`tool_calls`), is no answer; nor is a blank one, nor
 * one that begins or ends with a tool call in the marks of some model. `code` is what stands between the fences as it
 * was written, CR included, without the last line ending.
 *
 * @throws {InvalidRequestError} If there is no language, `finalAnswer` is none of its forms, or a marker is not one word,
 * or is there twice.
 * @throws {UnsupportedSchemaError} If the answer's schema is none that can be checked.
 */
export function codeFenceInterpreter(options: CodeFenceInterpreterOptions): DecisionInterpreter {
  refuseUnknownFields(options, OPTIONS);
  const texts = modelTexts(CODE_FENCE_TEXTS, options.texts);
  const finalAnswer = options.finalAnswer ?? "text";
  const answerMarker = answerMarkerOf(finalAnswer);
  const languages = checkedLanguages(options.languages);
  const markers = answerMarker === undefined ? languages : [...languages, answerMarker];
  const markerOf = markerLookup(markers);
  const decideAnswer = textAnswerDecision(options.answerSchema, texts);
  const schemaDigest = answerParameters(options.answerSchema);

  const readBlock = (block: Fence): Decision => {
    const { line, nestedLine: innerLine } = block;
    if (!block.closed) return invalidDecision(texts.unclosedBlock, { line });
    if (innerLine !== undefined) return invalidDecision(texts.nestedBlock, { line, innerLine });
    const marker = markerOf(block.language);
    if (marker === undefined) {
      return invalidDecision(texts.otherLanguage, {
        marker: block.language,
        markers: markers.join(", "),
      });
    }
    if (marker === answerMarker) return decideAnswer(block.body);
    const action = { language: marker, code: block.body };
    return { kind: "action", actions: [{ action }] };
  };

  const read = (reply: ModelReply, block: Fence | undefined): Decision => {
    const unfinished = unfinishedState(reply);
    if (unfinished !== undefined && !(unfinished.kind === "cut" && block?.closed)) {
      return unfinishedDecision(unfinished, texts);
    }
    if (reply.toolCalls !== undefined && reply.toolCalls.length > 0) {
      return invalidDecision(texts.toolCalls);
    }
    if (block !== undefined) return readBlock(block);
    return finalAnswer === "text" && reply.text.trim() !== "" &&
        !hasLeakedCall(reply.text, undefined)
      ? decideAnswer(reply.text)
      : invalidDecision(texts.noBlock, { markers: markers.join(", ") });
  };

  return {
    toolProtocol: "text",
    interpret(reply: ModelReply): Interpretation {
      const block = fences(reply.text).next().value;
      return {
        decision: read(reply, block),
        historyText: block?.nestedLine === undefined ? reply.text.slice(0, block?.end) : reply.text,
      };
    },
    parameters: () => ({
      kind: "code_fence",
      languages: languages.join(","),
      final_answer: answerMarker === undefined ? String(finalAnswer) : `marker:${answerMarker}`,
      ...schemaDigest,
      ...textDigests(texts),
    }),
  };
}

/** The marker of a final answer. Absent: no block is one. */
function answerMarkerOf(
  finalAnswer: NonNullable<CodeFenceInterpreterOptions["finalAnswer"]>,
): string | undefined {
  if (finalAnswer === "text" || finalAnswer === "none") return undefined;
  const { marker } = Object(finalAnswer);
  if (typeof marker === "string") return marker;
  throw new InvalidRequestError(
    "finalAnswer",
    finalAnswer,
    'it must be "text", "none" or an object with a string "marker"',
  );
}

function checkedLanguages(languages: readonly string[]): readonly string[] {
  if (Array.isArray(languages) && languages.length > 0) return [...languages];
  throw new InvalidRequestError("languages", languages, "it must be an array of one or more");
}

function markerLookup(markers: readonly string[]): (word: string) => string | undefined {
  const byWord = new Map<string, string>();
  for (const marker of markers) {
    if (typeof marker !== "string" || !/^[^\s`,]+$/.test(marker)) {
      throw new InvalidRequestError("languages", marker, "a marker must be one word");
    }
    const word = marker.toLowerCase();
    if (byWord.has(word)) {
      throw new InvalidRequestError("languages", marker, "a marker is there twice");
    }
    byWord.set(word, marker);
  }
  return (word) => byWord.get(word.toLowerCase());
}
