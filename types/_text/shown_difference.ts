import { excerpt } from "./excerpt.ts";

/** How much of a text is shown before the place where it parts from another, and from there on, in UTF-16 units. */
const BEFORE = 20;
const AFTER = 60;

/**
 * Two values as an error text shows them side by side, in one line each: of long texts the place where they part.
 *
 * @example
 * ```ts
 * import { shownDifference } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(shownDifference("seen 1", "seen 1!"), ['"seen 1"', '"seen 1!"']);
 * assertEquals(shownDifference(undefined, [2]), ["nothing", "[2]"]);
 * ```
 */
export function shownDifference(a: unknown, b: unknown): readonly [a: string, b: string] {
  if (typeof a !== "string" || typeof b !== "string") return [shown(a), shown(b)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return [shownFrom(a, at), shownFrom(b, at)];
}

function shownFrom(text: string, at: number): string {
  const from = at <= BEFORE ? 0 : at - BEFORE;
  return (from === 0 ? "" : "…") + shown(text.slice(from));
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(excerpt(value, BEFORE + AFTER));
  return excerpt(JSON.stringify(value), BEFORE + AFTER);
}
