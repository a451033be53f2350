import { firstCodePoints } from "./code_units.ts";

/**
 * The beginning of a text to quote it by, with `…` in the place of what is missing.
 *
 * @example
 * ```ts
 * import { excerpt } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(excerpt("🌊🌊🌊", 2), "🌊🌊…");
 * assertEquals(excerpt("🌊🌊", 2), "🌊🌊");
 * ```
 *
 * @param text What to quote.
 * @param limit How many of its code points to keep: a whole number, 0 or more. The `…` is one more.
 */
export function excerpt(text: string, limit: number): string {
  const kept = firstCodePoints(text, limit);
  return kept.length === text.length ? text : `${kept}…`;
}
