import { checkShape, type ModelReply, modelReplyShape } from "../../types/mod.ts";

/** Texts shorter than this are no secrets unless they are the key: `true`, `gzip`. */
const MIN_SECRET_LENGTH = 8;

/**
 * What must not be shown of what a caller gave: the key, and every long enough value and word of one; longest first.
 *
 * @param values Values of headers, of a query, of an environment.
 * @param key What is secret however short it is. Absent: nothing is.
 */
export function secretTexts(values: readonly string[], key?: string): readonly string[] {
  const words = values.flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((word) => word.length >= MIN_SECRET_LENGTH);
  const trimmed = key?.trim(); // a header is sent without the space around it
  const texts = new Set(trimmed ? [trimmed, ...words] : words);
  return [...texts].sort((a, b) => b.length - a.length);
}

/** The values of an address's query, each in all forms that a server can take it in: as written, and decoded either way. */
export function queryValues(url: URL): readonly string[] {
  const written = url.search.slice(1).split("&").map((part) => part.slice(part.indexOf("=") + 1));
  return [...url.searchParams.values(), ...written, ...written.map(decoded)];
}

/** A text without its percent-encoding, in which a plus is a plus; as it is where the encoding is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text with `[hidden]` in the place of each of the others, also where JSON, a URL or HTML spells one in its own way. */
export function withoutTexts(text: string, others: readonly string[]): string {
  return hide(text, spellings(others)).text;
}

/**
 * A reply without the secrets of a request: a server can repeat them, and a reply is recorded. It tells how many there
 * were. Names of members stay as they are.
 */
export function withoutSecretsIn(reply: ModelReply, secrets: readonly string[]): ModelReply {
  const patterns = spellings(secrets);
  const json = JSON.stringify(reply);
  if (patterns.every((pattern) => json.search(pattern) === -1)) return reply;
  let hiddenSecrets = 0;
  const clean: unknown = JSON.parse(json, (_, value) => {
    if (typeof value !== "string") return value;
    const { text, count } = hide(value, patterns);
    hiddenSecrets += count;
    return text;
  });
  const checked = checkShape(clean, modelReplyShape);
  return checked.ok && hiddenSecrets > 0 ? { ...checked.value, hiddenSecrets } : reply;
}

function hide(
  text: string,
  patterns: readonly RegExp[],
): { readonly text: string; readonly count: number } {
  let count = 0;
  const clean = patterns.reduce((shown, pattern) =>
    shown.replace(pattern, () => {
      count += 1;
      return "[hidden]";
    }), text);
  return { text: clean, count };
}

/** Headers and parameters of a query that are named so hold secrets; other ones may hold words of any text. */
const SECRET_NAME = /auth|key|token|secret|password|credential|cookie|signature|^sig$/i;

/**
 * What must not be recorded of a reply: the key, and what is in headers and a query by a name that says so. A key that
 * a server does not look at (`none`, `ollama`) can be a word of any reply: it is left.
 */
export function replySecrets(
  headers: Readonly<Record<string, string>>,
  url: URL,
  key?: string,
): readonly string[] {
  const isSecret = [...url.searchParams.keys()].some((name) => SECRET_NAME.test(name));
  const others = [...(isSecret ? queryValues(url) : []), ...(key ? [key] : [])];
  return noWords([...namedSecrets(headers), ...secretTexts(others)]);
}

/** What must not be recorded of values by name, such as headers or an environment: those whose name says so. */
export function namedSecrets(values: Readonly<Record<string, string>>): readonly string[] {
  const named = Object.entries(values).filter(([name]) => SECRET_NAME.test(name));
  return noWords(secretTexts(named.map(([, value]) => value)));
}

/** Those of some texts that no text would have by chance; longest first. */
function noWords(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text.length >= 12 || /\d/.test(text))
    .sort((a, b) => b.length - a.length);
}

/** How much of a text one pattern looks for: an engine takes none that is too large. */
const PART_CHARS = 500;

/** Finds each of some texts, however it is spelt; a long one in parts. */
function spellings(texts: readonly string[]): readonly RegExp[] {
  return texts.flatMap((text) => {
    const characters = Array.from(text, spelling);
    const parts = Math.ceil(characters.length / PART_CHARS);
    const size = Math.ceil(characters.length / parts);
    return Array.from(
      { length: parts },
      (_, part) => new RegExp(characters.slice(part * size, (part + 1) * size).join(""), "gu"),
    );
  });
}

/** A character as it is, or as JSON, a URL or HTML can write it; letters and digits are written as they are. */
function spelling(character: string): string {
  if (/^[\w-]$/.test(character)) return character;
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&");
  const units = character.split("").map((unit) =>
    `\\\\{1,4}u${anyCase(hex(unit.charCodeAt(0), 4))}`
  );
  const bytes = [...new TextEncoder().encode(character)].map((byte) => `%${anyCase(hex(byte, 2))}`);
  const point = character.codePointAt(0) ?? 0;
  const html = [`&#0{0,7}${point};`, `&#[xX]0{0,6}${anyCase(hex(point, 1))};`];
  const forms = [`\\\\{0,4}${literal}`, units.join(""), bytes.join(""), ...html];
  const named = HTML_NAMES[character];
  if (named !== undefined) forms.push(`&${named};`);
  if (character === " ") forms.push("\\+");
  return `(?:${forms.join("|")})`;
}

const HTML_NAMES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** A pattern for hexadecimal digits in either case. */
function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
