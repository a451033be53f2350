import { countCodePoints, hasSurrogates, takeCodePoints } from "./code_points.ts";

/**
 * The beginning of a text, as far as a limit lets it stand, and how much of its end is missing.
 *
 * @example
 * ```ts
 * import { cutEnd } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cutEnd("🌊🌊🌊", 2), { text: "🌊🌊", truncatedChars: 1 });
 * assertEquals(cutEnd("short", 100), { text: "short", truncatedChars: 0 });
 * ```
 *
 * @param text What to cut.
 * @param limit How many code points to keep: a whole number, 0 or more, or `Infinity`.
 */
export function cutEnd(
  text: string,
  limit: number,
): { readonly text: string; readonly truncatedChars: number } {
  const kept = takeCodePoints(text, limit);
  return { text: kept, truncatedChars: countCodePoints(text) - countCodePoints(kept) };
}

/** The share of a limit that {@link cutMiddle} keeps of the beginning: an end tells more of what went wrong. */
const HEAD_SHARE = 2 / 5;

/**
 * The beginning and the end of a text, two parts to three, and how much between them is missing. A text within the
 * limit is all beginning.
 *
 * @example
 * ```ts
 * import { cutMiddle } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cutMiddle("0123456789", 5), { head: "01", tail: "789", truncatedChars: 5 });
 * assertEquals(cutMiddle("short", 5), { head: "short", tail: "", truncatedChars: 0 });
 * ```
 *
 * @param text What to cut.
 * @param limit How many code points to keep in all: a whole number, 0 or more, or `Infinity`.
 */
export function cutMiddle(
  text: string,
  limit: number,
): { readonly head: string; readonly tail: string; readonly truncatedChars: number } {
  const truncatedChars = countCodePoints(text) - limit;
  if (truncatedChars <= 0) return { head: text, tail: "", truncatedChars: 0 };
  const headChars = Math.floor(limit * HEAD_SHARE);
  return {
    head: takeCodePoints(text, headChars),
    tail: lastCodePoints(text, limit - headChars),
    truncatedChars,
  };
}

function lastCodePoints(text: string, limit: number): string {
  if (!hasSurrogates(text)) return text.slice(text.length - limit);
  return text.slice(takeCodePoints(text, countCodePoints(text) - limit).length);
}

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
  const kept = takeCodePoints(text, limit);
  return kept.length === text.length ? text : `${kept}…`;
}
