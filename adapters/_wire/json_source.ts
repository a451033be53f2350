import { JsonTokenizer, type JsonValue } from "../../types/mod.ts";

/**
 * A value inside a JSON text, as it is written there. To parse and write it again would lose what JavaScript cannot
 * hold: long numbers, keys given twice, the order of keys that look like numbers.
 */
export interface JsonSource {
  /** The member of an object that has it; of a key given twice the last one, as in parsing. */
  member(key: string): JsonSource;
  /** The item of an array that has it. */
  item(index: number): JsonSource;
  /** The value's text, without the space between its tokens. */
  compact(): string;
}

/** The whole of a text that is known to be JSON. It is looked into when it is asked, and once. */
export function jsonSource(text: string): JsonSource {
  let tokens: readonly string[] | undefined;
  return sourceAt(() => tokens ??= tokensOf(text), 0);
}

/** A value as text: a string is its text, nothing is empty, and anything else is as it is written. */
export function textOf(value: JsonValue | undefined, source: () => JsonSource): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : source().compact();
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const tokenizer = new JsonTokenizer((_, start, end) => tokens.push(text.slice(start, end)));
  tokenizer.push(text);
  tokenizer.end();
  return tokens;
}

function sourceAt(tokens: () => readonly string[], start: number): JsonSource {
  let items: readonly number[] | undefined;
  return {
    member(key) {
      let found = start;
      let i = start + 1;
      for (let name = tokens()[i]; name !== undefined && name !== "}"; name = tokens()[i]) {
        if (JSON.parse(name) === key) found = i + 2;
        i = afterValue(tokens(), i + 2);
      }
      return sourceAt(tokens, found);
    },
    item(index) {
      items ??= itemsAt(tokens(), start);
      return sourceAt(tokens, items[index] ?? start);
    },
    compact: () => tokens().slice(start, valueEnd(tokens(), start)).join(""),
  };
}

/** Where the items of an array begin. */
function itemsAt(tokens: readonly string[], start: number): readonly number[] {
  const items: number[] = [];
  for (let i = start + 1; tokens[i] !== "]"; i = afterValue(tokens, i)) items.push(i);
  return items;
}

/** Where the next member or item begins, or the container's closing bracket stands. */
function afterValue(tokens: readonly string[], value: number): number {
  const end = valueEnd(tokens, value);
  return tokens[end] === "," ? end + 1 : end;
}

function valueEnd(tokens: readonly string[], start: number): number {
  let depth = 0;
  for (let i = start;; i++) {
    if (tokens[i] === "{" || tokens[i] === "[") depth++;
    else if (tokens[i] === "}" || tokens[i] === "]") depth--;
    if (depth === 0) return i + 1;
  }
}
