/**
 * Control and format characters, the separators of lines and paragraphs, lone surrogates, what Unicode has not
 * assigned, and what is never drawn; not the joiner of emoji and the choice between their two looks.
 */
const OBEYED =
  /(?![\u200d\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text, of several lines or one, that a terminal shows and never obeys: what a terminal could take for a command,
 * such as the beginning of an escape sequence or a change of direction, becomes `\u{1b}`, in hex. Line feeds and
 * tabs stay.
 *
 * @example
 * ```ts
 * import { harmless } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(harmless("red:\n\x1b[31m🌊"), "red:\n\\u{1b}[31m🌊");
 * ```
 */
export function harmless(text: string): string {
  return text.replace(OBEYED, (character) => {
    if (character === "\n" || character === "\t") return character;
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/**
 * {@link harmless} as one line: white space becomes one space, and none stands at its ends.
 *
 * @example
 * ```ts
 * import { harmlessLine } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(harmlessLine("two\r\n  lines\x07\n"), "two lines\\u{7}");
 * ```
 */
export function harmlessLine(text: string): string {
  return harmless(text.replace(/\s+/g, " ").trim());
}

/**
 * JSON that a terminal shows and never obeys: the same value, with `\u` escapes in the place of the characters that
 * JSON lets through.
 *
 * @example
 * ```ts
 * import { harmlessJson } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(harmlessJson({ csi: "\u009b31m" }), '{"csi":"\\u009b31m"}');
 * ```
 */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(
    OBEYED,
    (character) =>
      character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}
