import type { JsonValue } from "../types/mod.ts";
import type { Screen } from "./_screen.ts";

/** Control and format characters, lone surrogates, and what Unicode has not assigned; not the joiner of emoji. */
const OBEYED = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;

/** A text of several lines that a terminal shows and never obeys: `\u{1b}` stands for an escape character. */
export function harmless(text: string): string {
  return text.replace(OBEYED, (character) => {
    if (character === "\n" || character === "\t") return character;
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** {@link harmless} as one line: white space becomes one space. */
export function harmlessLine(text: string): string {
  return harmless(text.replace(/\s+/g, " ").trim());
}

/** An error as the one line that tells it. */
export function errorLine(error: unknown): string {
  return harmlessLine(error instanceof Error ? error.message : String(error));
}

/** JSON that a terminal never obeys: the same value, with `\u` in the place of what JSON lets through. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(
    OBEYED,
    (character) =>
      character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}

/** A value for people: a text as it is, anything else as JSON. */
export function shown(value: JsonValue): string {
  return typeof value === "string" ? harmless(value) : harmlessJson(value);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;

/** How many columns of a terminal a harmless line takes. */
export function columnsOf(line: string): number {
  let columns = 0;
  for (const character of line) columns += columnsOfCharacter(character);
  return columns;
}

/** The beginning of a harmless line that takes at most `columns`; `…` tells that it was cut. */
export function fitColumns(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  let fits = "";
  let used = 1;
  for (const character of line) {
    used += columnsOfCharacter(character);
    if (used > columns) break;
    fits += character;
  }
  return `${fits}…`;
}

function columnsOfCharacter(character: string): number {
  if (/[\p{M}\u200d]/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for the share that an amount is of the most; any amount at all can be seen. */
export function bar(amount: number, most: number, columns: number): string {
  if (amount <= 0 || most <= 0) return " ".repeat(columns);
  const eighths = Math.max(1, Math.round(8 * columns * Math.min(1, amount / most)));
  return ("█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]).padEnd(columns);
}

/** Rows of cells as lines, columns aligned; `right` names the columns that hold numbers. */
export function table(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): readonly string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at]!)))) ?? [];
  return rows.map((row) =>
    row.map((cell, at) => {
      const space = " ".repeat(widths[at]! - columnsOf(cell));
      return right.includes(at) ? space + cell : cell + space;
    }).join("  ").trimEnd()
  );
}

const STYLES = { strong: 1, faint: 2, bad: 31, good: 32, odd: 33 } as const;

/** How a text may look on a terminal. */
export type Style = keyof typeof STYLES;

/** A harmless text in a style, where there are colours. */
export function paint({ hasColor }: Pick<Screen, "hasColor">, style: Style, text: string): string {
  return hasColor ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
}

/** A duration for people. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** An amount of things. */
export function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? "" : "s"}`;
}
