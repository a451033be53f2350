import { isJsonArray, isJsonObject, type JsonValue } from "../../../types/mod.ts";

/** The JSON pointer (RFC 6901) of a path of keys and indices; the empty string for the root. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((token) => `/${escapeToken(String(token))}`).join("");
}

/** A key as a JSON pointer writes it. */
export function escapeToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A value's own member or item. Absent: it has none of that name. */
export function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  if (isJsonArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
