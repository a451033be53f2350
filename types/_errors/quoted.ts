import { excerpt } from "../_text/excerpt.ts";
import { harmlessLine } from "../_text/harmless.ts";

/** A value as an error text shows it, in one line and cut to 200 characters: of an object what it is, not what it holds. */
export function quoted(value: unknown): string {
  if (value === undefined) return "nothing";
  try {
    // A text's quotation marks hold it; any other value may have names of its own.
    return excerpt(
      typeof value === "string" ? JSON.stringify(value) : harmlessLine(words(value)),
      200,
    );
  } catch {
    return typeof value;
  }
}

function words(value: unknown): string {
  if (typeof value === "function") return value.name ? `the function ${value.name}` : "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) {
    const items = value.length === 1 ? "item" : "items";
    return value.every(isText) ? JSON.stringify(value) : `an array of ${value.length} ${items}`;
  }
  const { name } = Object.getPrototypeOf(value)?.constructor ?? Object;
  if (name !== "Object") return `an object of the class ${name}`;
  const fields = Object.keys(value);
  return fields.length === 0 ? "an empty object" : `an object with ${fields.join(", ")}`;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
