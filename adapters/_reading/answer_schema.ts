import { canonicalJson, type Decision, digest, fillText, type JsonValue } from "../../types/mod.ts";
import { compileSchema, parseFaithfulJson } from "../../logic/tools/mod.ts";
import { invalidDecision } from "./invalid_decision.ts";
import { findJson, type JsonInText } from "./json_in_text.ts";

/** What is written for the model about a final answer that does not fit the schema. */
export interface AnswerTexts {
  /** The answer does not fit. `{violations}`: a line for each part that does not. */
  readonly badAnswer: string;
  /** One of those lines. `{pointer}`, `{rule}`, `{expected}`, `{found}`: where, which keyword, what it asks, what is there. */
  readonly violation: string;
}

/** The same, where the answer is a text that must be JSON. */
export interface TextAnswerTexts extends AnswerTexts {
  /** The answer cannot be read as JSON. `{detail}`: what is wrong with it, and where. */
  readonly answerNotJson: string;
  /** It has several JSON texts. `{count}`: how many. */
  readonly severalAnswers: string;
}

/** The texts where none are given. */
export const TEXT_ANSWER_TEXTS: TextAnswerTexts = Object.freeze({
  badAnswer: "The final answer is not as it must be:\n{violations}",
  violation: '- at "{pointer}" ({rule}): expected {expected}, found {found}',
  answerNotJson: "The final answer must be JSON, but cannot be used: {detail}.",
  severalAnswers:
    "The final answer must be one JSON, but there are several json blocks or values: {count}.",
});

/** Takes a final answer if it fits the schema; without one, any. */
export function answerDecision(
  schema: JsonValue | object | undefined,
  texts: AnswerTexts,
): (answer: JsonValue) => Decision {
  const compiled = schema === undefined ? undefined : compileSchema(schema);
  return (answer) => {
    const violations = compiled?.validate(answer) ?? [];
    if (violations.length === 0) return { kind: "final_answer", answer };
    const lines = violations.map(({ pointer, rule, expected, found }) =>
      fillText(texts.violation, { pointer, rule, expected, found })
    );
    return invalidDecision(texts.badAnswer, { violations: lines.join("\n") });
  };
}

/** Takes a text as the final answer; with a schema, the JSON that it is, or that its only block marked `json` holds. */
export function textAnswerDecision(
  schema: JsonValue | object | undefined,
  texts: TextAnswerTexts,
): (text: string) => Decision {
  const decide = answerDecision(schema, texts);
  if (schema === undefined) return decide;
  return (text) => {
    const found = findJson(text);
    if (found.kind === "several") {
      return invalidDecision(texts.severalAnswers, { count: found.count });
    }
    const parsed = parseFaithfulJson(found.kind === "json" ? found.json : text.trim());
    return parsed.ok
      ? decide(parsed.value)
      : invalidDecision(texts.answerNotJson, { detail: blockFault(found, text) ?? parsed.detail });
  };
}

/** Why the block in which JSON was to stand cannot be read. Absent: there is none, or it is not the block's fault. */
function blockFault(found: JsonInText, text: string): string | undefined {
  switch (found.kind) {
    case "unclosed":
      return `the json block that starts in line ${found.line} is never closed`;
    case "nested":
      return `the block that starts in line ${found.line} has another fence inside it, in line ` +
        `${found.innerLine}: use a longer fence around the whole of it`;
    case "none":
      return /^(?:`{3}|~{3})/m.test(text) ? "no block is marked json" : undefined;
  }
}

/** The digest of the schema, for `parameters()`. */
export function answerParameters(schema: JsonValue | object | undefined): Record<string, string> {
  return schema === undefined ? {} : { answer_schema: digest(canonicalJson(schema)) };
}
