import {
  countCodePoints,
  counted,
  digest,
  type JsonValue,
  takeCodePoints,
} from "../../types/mod.ts";
import { preview } from "../_report/step_details.ts";
import { type Markup, markup } from "./markup.ts";

/** How many code points of a text stand open. */
const OPEN_CHARS = 2_000;

/** How the texts of a run are shown. */
export interface ShownTexts {
  /** A text by itself. */
  block(text: string): Markup;
  /** A text within a line. */
  line(text: string): string;
  /** The beginning of a text in the line that it is folded under; empty where none is shown. */
  preview(text: string): string;
}

/** Texts as they are; of a long one the rest is folded, and nothing is left out. */
export const WHOLE_TEXTS: ShownTexts = { block: wholeText, line: (text) => text, preview };

/** Of each text its size and its digest: who has the text can tell that it is this one. */
export const HIDDEN_TEXTS: ShownTexts = {
  block: (text) => markup`<p class="note">${sizeAndDigest(text)}</p>`,
  line: sizeAndDigest,
  preview: () => "",
};

function wholeText(text: string): Markup {
  const beginning = takeCodePoints(text, OPEN_CHARS);
  if (beginning.length === text.length) return verbatim(text);
  const rest = text.slice(beginning.length);
  return markup`${verbatim(beginning)}<details><summary>${
    grouped(countCodePoints(rest))
  } more characters</summary>${verbatim(rest)}</details>`;
}

/** A line feed at the beginning is put there twice, as a browser drops the first. */
function verbatim(text: string): Markup {
  return markup`<pre>${text.startsWith("\n") ? "\n" : ""}${text}</pre>`;
}

function sizeAndDigest(text: string): string {
  return `${counted(countCodePoints(text), "character")}, ${digest(text)}`;
}

/** From what size on a value is not laid out in lines, in code units. */
const MAX_LAID_OUT = 10_000;

/** A value of JSON as text, for people: in lines, unless it is so large or so deep that these would be many times longer. */
export function jsonText(value: JsonValue): string {
  if (typeof value === "string") return value;
  const dense = JSON.stringify(value);
  if (dense.length > MAX_LAID_OUT) return dense;
  const laidOut = JSON.stringify(value, null, 2);
  return laidOut.length > 4 * dense.length ? dense : laidOut;
}

/** A number as people read it: 1,000,000. */
export function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ",");
}
