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
  return first.closed ? { kind: "json", json, end } : { kind: "unclosed", line, end };
}

function findBareJson(text: string): JsonInText {
  const json = text.trim();
  const end = text.length;
  if (!/^[{["]/.test(json)) return { kind: "none", end };
  const count = countJsonTexts(json);
  return count > 1 ? { kind: "several", count, end } : { kind: "json", json, end };
}

/** How many JSON texts stand one after the other, and nothing else; 0 where something else does. */
function countJsonTexts(text: string): number {
  let count = 0;
  for (let rest = text; rest !== ""; count++) {
    const end = firstJsonEnd(rest);
    if (end === undefined) return 0;
    rest = rest.slice(end).trimStart();
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
