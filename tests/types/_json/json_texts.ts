/** Pieces that JSON texts are made of, and what looks like them. */
// deno-fmt-ignore
const PIECES = [
  "{", "}", "[", "]", ",", ":", '"', "\\", " ", "\n", "\t", "\r", "\u00a0", "\ufeff", "\v", "\0",
  "0", "1", "9", "-", "+", ".", "e", "E", "01", "1.", ".5", "1e", "1e+", "-0", "0x1", "Infinity",
  "NaN", "true", "false", "null", "tru", "True", "undefined", '"a"', '"\\u00e9"', '"\\u00g0"',
  '"\\x"', '"\\u12"', '"\t"', '"\u2028"', '"\ud800"', "'a'", "//", "/**/", '"\u001f"', '"\u007f"',
];

const STRINGS = [
  "",
  "a",
  "é🌊",
  '"\\/\b\f\n\r\t',
  "\u0001\u001f\u2028",
  "\ud83c",
  "__proto__",
  "{[,:]}",
];
const NUMBERS = [
  "0",
  "-0",
  "7",
  "-12",
  "1.50",
  "0.1",
  "1e400",
  "1E+2",
  "2e-7",
  "12345678901234567890",
];

/**
 * Texts that are JSON, and such texts with some pieces put in, taken out or written over: about as many of either.
 * The same every time.
 */
export function* generatedTexts(count: number): Generator<string> {
  let seed = 42;
  const below = (limit: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(seed / 2 ** 32 * limit);
  };
  const oneOf = <T>(items: readonly T[], otherwise: T): T =>
    items[below(items.length)] ?? otherwise;
  const space = (): string => below(4) > 0 ? "" : oneOf([" ", "\n", "\t ", "\r\n"], "");
  const string = (): string => {
    const text = JSON.stringify(oneOf(STRINGS, ""));
    return below(4) > 0
      ? text
      : text.replace(/[a-z{]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
  };
  const list = (item: () => string): string =>
    Array.from({ length: below(4) }, () => space() + item() + space()).join(",") || space();
  const value = (depth: number): string => {
    switch (below(depth > 4 ? 3 : 6)) {
      case 0:
        return oneOf(["true", "false", "null"], "null");
      case 1:
        return oneOf(NUMBERS, "0");
      case 2:
        return string();
      case 3:
        return `[${list(() => value(depth + 1))}]`;
      default:
        return `{${list(() => `${string()}${space()}:${space()}${value(depth + 1)}`)}}`;
    }
  };
  const mutated = (text: string): string => {
    const at = below(text.length + 1);
    return text.slice(0, at) + oneOf([...PIECES, ""], "") + text.slice(at + below(3));
  };
  for (let i = 0; i < count; i++) {
    let text = space() + value(0) + space();
    for (let mutations = below(3); mutations > 0; mutations--) text = mutated(text);
    yield text;
  }
}
