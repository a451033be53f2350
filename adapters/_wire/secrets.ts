/** Texts shorter than this are no secrets unless they are the key: `true`, `gzip`. */
const MIN_SECRET_LENGTH = 8;

/**
 * What must not be shown of what a caller gave: the key, and every long enough value and word of one, also as JSON and
 * as a query write it; longest first.
 *
 * @param values Values of headers, of a query, of an environment.
 * @param key What is secret however short it is. Absent: nothing is.
 */
export function secretTexts(values: readonly string[], key?: string): readonly string[] {
  const words = values.flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((word) => word.length >= MIN_SECRET_LENGTH);
  const trimmed = key?.trim(); // a header is sent without the space around it
  const texts = new Set(trimmed ? [trimmed, ...words] : words);
  for (const text of [...texts]) {
    texts.add(JSON.stringify(text).slice(1, -1)).add(encodeURIComponent(text.toWellFormed()));
  }
  return [...texts].sort((a, b) => b.length - a.length);
}

/** A text with `[hidden]` in the place of each of the others. */
export function withoutTexts(text: string, others: readonly string[]): string {
  let clean = text;
  for (const other of others) clean = clean.replaceAll(other, "[hidden]");
  return clean;
}
