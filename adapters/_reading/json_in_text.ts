import { type Fence, fences } from "./fence.ts";

/** Where the one JSON text of a reply stands, or why there is none; `end` is the offset after it. */
export type JsonInText =
  | { readonly kind: "json"; readonly json: string; readonly end: number }
  | { readonly kind: "none"; readonly end: number }
  | { readonly kind: "several"; readonly count: number; readonly end: number }
  | { readonly kind: "unclosed"; readonly line: number; readonly end: number };

/**
 * Finds the JSON text of a reply: what is in its only fenced block marked `json`; the whole reply where no block is
 * marked so and it starts like an object, an array or a string.
 */
export function findJson(text: string): JsonInText {
  let first: Fence | undefined;
  let count = 0;
  for (const block of fences(text)) {
    if (block.language.toLowerCase() !== "json") continue;
    first ??= block;
    count++;
  }
  if (first === undefined) {
    const json = text.trim();
    const end = text.length;
    return /^[{["]/.test(json) ? { kind: "json", json, end } : { kind: "none", end };
  }
  const { end, line, body: json } = first;
  if (count > 1) return { kind: "several", count, end };
  return first.closed ? { kind: "json", json, end } : { kind: "unclosed", line, end };
}
