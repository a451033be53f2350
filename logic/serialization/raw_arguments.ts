import { JsonTokenizer, type JsonTokenKind, type JsonValue } from "../../types/mod.ts";

/**
 * Whether a raw text gives the arguments that were read from it, to any reader of JSON: `JSON.parse` gives them exactly,
 * the order of their keys included, and no other reader can take the text for another value. That is so where the text
 * is what `JSON.stringify` makes of the arguments but for white space between tokens, the spelling of escapes, and zeros
 * at the end of a short decimal number: no key stands twice in such a text, and no number is beyond a double.
 */
export function rawGives(raw: string, args: JsonValue): boolean {
  const written = JSON.stringify(args);
  return raw === written || respelled(raw) === written;
}

/** A text with its tokens as `JSON.stringify` writes them; nothing where it is no JSON. */
function respelled(text: string): string | undefined {
  const tokens: string[] = [];
  const tokenizer = new JsonTokenizer((kind, start, end) => {
    tokens.push(respelledToken(kind, text.slice(start, end)));
  });
  tokenizer.push(text);
  return tokenizer.end() ? tokens.join("") : undefined;
}

/** At most 15 digits without an exponent always survive as a double, but for the sign of a zero. */
const SHORT_NUMBER = /^(?=.{1,15}$)(?:0|-?[\d.]*[1-9][\d.]*)$/;

function respelledToken(kind: JsonTokenKind, token: string): string {
  switch (kind) {
    case "string":
    case "key":
      return token.includes("\\") ? JSON.stringify(JSON.parse(token)) : token;
    case "number":
      return SHORT_NUMBER.test(token) ? String(Number(token)) : token;
    default:
      return token;
  }
}
