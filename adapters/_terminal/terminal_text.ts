/**
 * A text as one line that a terminal shows and never obeys: white space becomes one space; control and format
 * characters, such as the beginning of an escape sequence or a change of direction, and lone surrogates become
 * `\u{1b}`, in hex.
 */
export function harmless(text: string): string {
  return text.replace(/\s+/g, " ").replace(
    /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;

/** The beginning of a harmless text that takes at most `columns` of a terminal; `…` tells that it was cut. */
export function fitColumns(text: string, columns: number): string {
  let used = 0;
  let kept = "";
  let fits = "";
  for (const character of text) {
    used += WIDE.test(character) ? 2 : 1;
    if (used > columns) return `${fits}…`;
    kept += character;
    if (used < columns) fits = kept;
  }
  return text;
}
