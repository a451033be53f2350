import type { JsonValue } from "../json.ts";

/**
 * Whether two values have the same canonical JSON: the same content, whatever the order of their keys.
 *
 * @example
 * ```ts
 * import { isSameJson } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(isSameJson({ a: 1, b: [] }, { b: [], a: 1 }), true);
 * ```
 *
 * @param onPair Called for each pair of values that is compared, so that who bounds work can count it; what it throws
 * ends the comparison. Default: nothing.
 */
export function isSameJson(a: JsonValue, b: JsonValue, onPair?: () => void): boolean {
  onPair?.();
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  const others = new Map(Object.entries(b));
  return entries.length === others.size && entries.every(([key, member]) => {
    const other = others.get(key);
    return other !== undefined && isSameJson(member, other, onPair);
  });
}
