const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;

/**
 * How many columns of a terminal a {@link harmlessLine} takes: wide characters, such as ideographs and emoji, take two,
 * combining marks none.
 *
 * @example
 * ```ts
 * import { columnsOf } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(columnsOf("a漢🌊"), 5);
 * ```
 */
export function columnsOf(line: string): number {
  if (/^[ -~]*$/.test(line)) return line.length;
  let columns = 0;
  for (const character of line) columns += columnsOfCharacter(character);
  return columns;
}

/**
 * The beginning of a {@link harmlessLine} that takes at most `columns` of a terminal; `…` tells that it was cut. No
 * more of the line is looked at than is shown.
 *
 * @example
 * ```ts
 * import { fitColumns } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(fitColumns("漢字漢字", 6), "漢字…");
 * assertEquals(fitColumns("漢字漢字", 8), "漢字漢字");
 * ```
 */
export function fitColumns(line: string, columns: number): string {
  let used = 0;
  let end = 0;
  let lastFit = 0; // where the line can be cut so that the `…` has a column
  for (const character of line) {
    used += columnsOfCharacter(character);
    if (used > columns) return `${line.slice(0, lastFit)}…`;
    end += character.length;
    if (used < columns) lastFit = end;
  }
  return line;
}

function columnsOfCharacter(character: string): number {
  if (/[\p{M}\u200d]/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
