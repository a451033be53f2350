import { requireCount, requireString } from "../_errors/require_type.ts";
import { firstCodePoints, pointAt, unitsAt } from "./code_units.ts";

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Whether the text holds any UTF-16 surrogate, paired or alone, so that code units and code points differ.
 *
 * @throws {InvalidRequestError} If it is no text.
 */
export function hasSurrogates(text: string): boolean {
  requireString("text", text);
  return SURROGATE.test(text);
}

/**
 * How many Unicode code points a text holds: what Python's `len` says, never UTF-16 units. A lone surrogate counts 1.
 *
 * @example
 * ```ts
 * import { countCodePoints } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(countCodePoints("🌊 ok"), 4);
 * ```
 *
 * @throws {InvalidRequestError} If it is no text.
 */
export function countCodePoints(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let count = 0;
  for (let i = 0; i < text.length; i += unitsAt(text, i)) count++;
  return count;
}

/**
 * The first `limit` code points of a text; the whole text where it is no longer than that. A surrogate pair is never
 * cut in half.
 *
 * @param text What to cut.
 * @param limit How many code points to keep: a whole number, 0 or more.
 * @throws {InvalidRequestError} If it is no text, or the limit no such number.
 */
export function takeCodePoints(text: string, limit: number): string {
  requireString("text", text);
  requireCount("limit", limit);
  return firstCodePoints(text, limit);
}

/**
 * Orders texts by code point, as Python sorts `str`; for `Array.prototype.sort`. JavaScript's own order is by UTF-16
 * unit and puts astral characters before U+E000.
 *
 * @example
 * ```ts
 * import { compareCodePoints } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(["🌊", "\uffff", "a"].sort(compareCodePoints), ["a", "\uffff", "🌊"]);
 * ```
 *
 * @throws {InvalidRequestError} If one of them is no text.
 */
export function compareCodePoints(a: string, b: string): number {
  requireString("a", a);
  requireString("b", b);
  for (let i = 0; i < a.length && i < b.length;) {
    const difference = pointAt(a, i) - pointAt(b, i);
    if (difference !== 0) return difference;
    i += unitsAt(a, i);
  }
  return a.length - b.length;
}
