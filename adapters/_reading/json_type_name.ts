import type { JsonValue } from "../../types/mod.ts";

/** What a JSON value is, for a sentence. */
export function jsonTypeName(value: JsonValue): string {
  if (value === null) return "null";
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
