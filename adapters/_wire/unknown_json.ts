import { type JsonValue, present, type Usage } from "../../types/mod.ts";

/** A JSON value as a server sent it: nothing about its shape is known yet. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The value if it is a JSON object. */
export function asObject(value: unknown): WireObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as WireObject
    : undefined;
}

/** The value if it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a string with something in it: servers send `""` where they mean nothing. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value if it is a number of tokens. */
export function asCount(value: unknown): number | undefined {
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

/** A copy whose texts and keys hold no lone surrogate: UTF-8 has none, and servers refuse their escapes. */
export function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]),
  );
}
