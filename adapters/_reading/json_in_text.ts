import { JsonTokenizer } from "../../types/mod.ts";
import { type Fence, fences } from "./fence.ts";

/** Where the one JSON text of a reply stands, or why there is none; `end` is the offset after it. */
export type JsonInText =
  | { readonly kind: "json"; readonly json: string; readonly end: number }
  | { readonly kind: "none"; readonly end: number }
  | { readonly kind: "several"; readonly count: number; readonly end: number }
  | {
    readonly kind: "nested";
    readonly line: number;
    readonly innerLine: number;
    readonly end: number;
  }
  | { readonly kind: "unclosed"; readonly line: number; readonly end: number };

/**
 * Finds the JSON text of a reply: what is in its only fenced block marked `json`; the whole reply where no block is
 * marked so and it starts like an object, an array or a string. After a block with a fence inside it, it is not known
 * what stands in a block.
 */
export function findJson(text: string): JsonInText {
  let first: Fence | undefined;
  let count = 0;
  for (const block of fences(text)) {
    const { line, nestedLine: innerLine } = block;
    if (innerLine !== undefined) return { kind: "nested", line, innerLine, end: text.length };
    if (block.language.toLowerCase() !== "json") continue;
    first ??= block;
    count++;
  }
  if (first === undefined) return findBareJson(text);
  const { end, line, body: json } = first;
  if (count > 1) return { kind: "several", count, end };
  if (!first.closed) return { kind: "unclosed", line, end };
  const values = countJsonTexts(json.trim());
  return values > 1 ? { kind: "several", count: values, end } : { kind: "json", json, end };
}

function findBareJson(text: string): JsonInText {
  const json = text.trim();
  const end = text.length;
  if (!/^[{["]/.test(json)) return { kind: "none", end };
  const count = countJsonTexts(json);
  return count > 1 ? { kind: "several", count, end } : { kind: "json", json, end };
}

/** How many values are looked for: whoever reads of two needs no exact number. */
const MAX_COUNTED = 100;

/** How many JSON texts a text begins with, and has in it after them: an object or a list wherever it stands. */
function countJsonTexts(text: string): number {
  let count = 0;
  for (let rest = text; count < MAX_COUNTED; count++) {
    const end = firstJsonEnd(rest);
    if (end === undefined) return count;
    rest = rest.slice(end);
    const next = /^\s*"/.test(rest) ? 0 : rest.search(/[{[]/);
    if (next === -1) return count + 1;
    rest = rest.slice(next);
  }
  return count;
}

/** Where the JSON text that a text starts with ends. Absent: it starts with none. */
function firstJsonEnd(text: string): number | undefined {
  let depth = 0;
  let end: number | undefined;
  const tokenizer = new JsonTokenizer((kind, _, tokenEnd) => {
    if (kind === "{" || kind === "[") depth++;
    if (kind === "}" || kind === "]") depth--;
    if (depth === 0) end ??= tokenEnd;
  });
  tokenizer.push(text);
  return end;
}
