import { SerializationError } from "../../types/mod.ts";

/**
 * Deep-freezes, in place, what `JSON.parse` gave, and refuses what that lets pass and no log holds: a number too large
 * to be one (`1e999`), `-0`, and nesting deeper than a limit.
 *
 * @throws {SerializationError} If the value would not be read back as it stands there.
 */
export function freezeParsed<T>(value: T, maxDepth: number): T {
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    throw new SerializationError("entry", "a number in it would be read back as another", value);
  }
  if (typeof value !== "object" || value === null) return value;
  if (maxDepth === 0) throw new SerializationError("entry", "it is nested too deep", value);
  const members = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) freezeParsed(member, maxDepth - 1);
  return Object.freeze(value);
}
