import type { ParsedLogLine } from "../log_line.ts";

/** A log line that was read and found whole. */
export type WholeLogLine = Extract<ParsedLogLine, { readonly ok: true }>;

const PARSED = new WeakMap<readonly string[], readonly WholeLogLine[]>();

/**
 * The texts of lines that were read, in a frozen array by which {@link parsedLinesOf} gives them again: a store that
 * has checked the hash of each line spares whoever decodes them that work.
 */
export function textsOf(parsed: readonly WholeLogLine[]): readonly string[] {
  const texts = Object.freeze(parsed.map(({ entry }) => entry.line));
  PARSED.set(texts, parsed);
  return texts;
}

/** What was read of the lines that {@link textsOf} gave; nothing for any other array, even of the same texts. */
export function parsedLinesOf(lines: readonly string[]): readonly WholeLogLine[] | undefined {
  return PARSED.get(lines);
}
