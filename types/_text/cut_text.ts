import { countCodePoints, hasSurrogates, takeCodePoints } from "./code_points.ts";
import { fillText } from "./fill_text.ts";

/** The share of a limit that {@link cutMiddle} keeps of the beginning: an end tells more of what went wrong. */
const BEGINNING_SHARE = 2 / 5;

/** What {@link cutMiddle} leaves of a text. */
export interface MiddleCut {
  /** The beginning; the whole text, where nothing is missing. */
  readonly beginning: string;
  /** The end; empty, where nothing is missing. */
  readonly end: string;
  /** How many code points between them are missing. */
  readonly truncatedChars: number;
}

/**
 * The beginning and the end of a text, two parts to three, and how much between them is missing. A text within the
 * limit is all beginning.
 *
 * @example
 * ```ts
 * import { cutMiddle } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const cut = cutMiddle("0123456789", 5);
 * assertEquals(cut, { beginning: "01", end: "789", truncatedChars: 5 });
 * assertEquals(cutMiddle({ ...cut, end: `${cut.end}ab` }, 5), { beginning: "01", end: "9ab", truncatedChars: 7 });
 * assertEquals(cutMiddle("short", 5), { beginning: "short", end: "", truncatedChars: 0 });
 * ```
 *
 * @param text What to cut; or what a cut with a limit no smaller has left of it, be it with more at its end since.
 * @param limit How many code points to keep in all: a whole number, 0 or more, or `Infinity`.
 */
export function cutMiddle(text: string | MiddleCut, limit: number): MiddleCut {
  const { beginning, end, truncatedChars: missing } = typeof text === "string"
    ? { beginning: text, end: "", truncatedChars: 0 }
    : text;
  const whole = beginning + end;
  const truncatedChars = countCodePoints(whole) + missing - limit;
  if (truncatedChars <= 0) return { beginning: whole, end: "", truncatedChars: 0 };
  const firstChars = Math.floor(limit * BEGINNING_SHARE);
  return {
    beginning: takeCodePoints(missing === 0 ? whole : beginning, firstChars),
    end: lastCodePoints(missing === 0 ? whole : end, limit - firstChars),
    truncatedChars,
  };
}

/**
 * A text with a notice in the place of what is missing of it, on a line of its own towards the end.
 *
 * @example
 * ```ts
 * import { cutWithNotice } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const cut = cutWithNotice("0123456789", 5, "\n[{truncatedChars} more]");
 * assertEquals(cut, { text: "01\n[5 more]\n789", truncatedChars: 5 });
 * ```
 *
 * @param text What to cut.
 * @param limit How many of its code points to keep: a whole number, 0 or more, or `Infinity`. The notice comes on top.
 * @param notice Holds `{truncatedChars}`, which becomes the number of code points that are missing.
 */
export function cutWithNotice(
  text: string,
  limit: number,
  notice: string,
): { readonly text: string; readonly truncatedChars: number } {
  const { beginning, end, truncatedChars } = cutMiddle(text, limit);
  if (truncatedChars === 0) return { text, truncatedChars };
  const filled = fillText(notice, { truncatedChars });
  const border = filled === "" || end === "" ? "" : "\n";
  return { text: beginning + filled + border + end, truncatedChars };
}

function lastCodePoints(text: string, limit: number): string {
  if (!hasSurrogates(text)) return text.slice(text.length - limit);
  return text.slice(takeCodePoints(text, countCodePoints(text) - limit).length);
}
