import { isJsonArray, isJsonObject, type JsonValue } from "../../../types/mod.ts";

/** The JSON pointer (RFC 6901) of a path of keys and indices; the empty string for the root. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((token) => `/${escapeToken(String(token))}`).join("");
}

/** A key as a JSON pointer writes it. */
export function escapeToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** What {@link escapeToken} was given. */
export function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A value's own member or item. Absent: it has none of that name. */
export function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  if (isJsonArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value that a JSON pointer leads to. Absent: it leads nowhere. */
export function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  const keys = pointer.split("/").slice(1).map(unescapeToken);
  let value: JsonValue | undefined = root;
  for (const key of keys) value = value === undefined ? undefined : memberOf(value, key);
  return value;
}
