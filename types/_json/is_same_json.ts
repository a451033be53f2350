import { isJsonArray, type JsonValue } from "../json.ts";

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
export function isSameJson(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  onPair?: () => void,
): boolean {
  onPair?.();
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (isJsonArray(a) || isJsonArray(b)) {
    return isJsonArray(a) && isJsonArray(b) && a.length === b.length &&
      a.every((item, i) => isSameJson(item, b[i], onPair));
  }
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key], onPair));
}
