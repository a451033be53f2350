import type { JsonValue } from "../../types/mod.ts";

/** Whether two values have the same canonical JSON: the same content, whatever the order of their keys. */
export function isSameJson(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const members = new Map(Object.entries(b));
  const keys = Object.entries(a);
  return keys.length === members.size && keys.every(([key, member]) => {
    const other = members.get(key);
    return other !== undefined && isSameJson(member, other);
  });
}
