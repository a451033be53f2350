import { excerpt } from "../_text/excerpt.ts";

/** A value as an error text shows it, cut to 200 characters. */
export function quoted(value: unknown): string {
  if (value === undefined) return "nothing";
  try {
    return excerpt(typeof value === "string" ? JSON.stringify(value) : String(value), 200);
  } catch {
    return typeof value;
  }
}
