import type { ParsedLogLine } from "../log_line.ts";

/** A log line that was read and found whole. */
export type WholeLogLine = Extract<ParsedLogLine, { readonly ok: true }>;

/** Makes nothing: what extends it puts its private fields into the object that it is given. */
class Given {
  constructor(object: object) {
    return object;
  }
}

/**
 * Texts with what was read of them in a private field, which nobody else can give an array or see. In a WeakMap they
 * would stay in memory until the engine looks through all of it, and who reads very many logs would hold and wait for
 * that.
 */
class ReadTexts extends Given {
  readonly #parsed: readonly WholeLogLine[];

  constructor(texts: readonly string[], parsed: readonly WholeLogLine[]) {
    super(texts);
    this.#parsed = parsed;
  }

  static parsedOf(texts: object): readonly WholeLogLine[] | undefined {
    return #parsed in texts ? texts.#parsed : undefined;
  }
}

/**
 * The texts of lines that were read, in a frozen array by which {@link parsedLinesOf} gives them again: a store that
 * has checked the hash of each line spares whoever decodes them that work.
 */
export function textsOf(parsed: readonly WholeLogLine[]): readonly string[] {
  const texts = parsed.map(({ entry }) => entry.line);
  new ReadTexts(texts, parsed);
  return Object.freeze(texts);
}

/** What was read of the lines that {@link textsOf} gave; nothing for any other array, even of the same texts. */
export function parsedLinesOf(lines: readonly string[]): readonly WholeLogLine[] | undefined {
  return ReadTexts.parsedOf(Object(lines));
}
