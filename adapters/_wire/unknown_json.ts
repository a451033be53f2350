import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  ModelCallError,
  present,
  type Usage,
} from "../../types/mod.ts";

/** What a server may have sent in some place: nothing about its shape is known. */
export type Unknown = JsonValue | undefined;

/** A text as the JSON that it is. Absent: it is none. */
export function parsedJson(text: string): Unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value if it is an object. */
export function asObject(value: Unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The value if it is an array, else an empty one. */
export function asArray(value: Unknown): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

/** The value if it is a string with something in it: servers send `""` where they mean nothing. */
export function asText(value: Unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value if it is a number of tokens. */
export function asCount(value: Unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value + 0 // -0 is 0
    : undefined;
}

/** The parts of a usage that were reported; absent if none was. */
export function usageOf(
  parts: { readonly [P in keyof Usage]?: Usage[P] | undefined },
): Usage | undefined {
  const usage = present(parts);
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/**
 * A copy that a log can hold: of a number that JavaScript has and JSON has not, the nearest that both have.
 *
 * @throws {ModelCallError} `malformed_response`, for a value that is deeper than a log may hold.
 */
export function recordable(value: JsonValue, depth = 0): JsonValue {
  if (depth > MAX_JSON_DEPTH / 2) throw tooDeep();
  if (typeof value === "number") {
    return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) + 0; // -0 is 0
  }
  if (isJsonArray(value)) return value.map((item) => recordable(item, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, recordable(member, depth + 1)]),
  );
}

/** The failure of a call whose answer holds something too deep to be kept. */
export function tooDeep(): ModelCallError {
  return new ModelCallError("a member of the answer is nested too deeply to be kept", {
    kind: "malformed_response",
    retriable: false,
  });
}

/** A copy whose texts and keys hold no lone surrogate: UTF-8 has none, and servers refuse their escapes. */
export function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (isJsonArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]),
  );
}
