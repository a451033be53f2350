import { excerpt, type JsonValue, MAX_JSON_DEPTH } from "../../types/mod.ts";
import { readDecimal } from "./_json/decimal.ts";
import { pointerOf } from "./_json/pointer.ts";

/** Why a text was refused: it is no JSON, or JavaScript would silently read it as something else. */
export type FaithfulJsonFault = "invalid_json" | "unfaithful_number" | "duplicate_key";

/** What {@link parseFaithfulJson} made of a text. */
export type FaithfulJsonResult =
  | {
    /** The text was read whole, and nothing in it was changed. */
    readonly ok: true;
    /** What it says. */
    readonly value: JsonValue;
  }
  | {
    /** The text was refused. */
    readonly ok: false;
    /** Why. */
    readonly error: FaithfulJsonFault;
    /** What is wrong and where. */
    readonly detail: string;
  };

/**
 * Reads a model's arguments as JSON: strictly, and never repaired. Beside what is not JSON at all (`invalid_json`,
 * nesting deeper than {@link MAX_JSON_DEPTH} included) it refuses what `JSON.parse` would change in silence: a number
 * that is not written back with the same decimal value, such as `12345678901234567890`, `1e400` or `-0`
 * (`unfaithful_number`), and a key that an object has twice (`duplicate_key`). A `__proto__` key is data.
 *
 * @example
 * ```ts
 * import { parseFaithfulJson } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseFaithfulJson('{"n":1.50}'), { ok: true, value: { n: 1.5 } });
 * assertEquals(parseFaithfulJson('{"id":[12345678901234567890]}'), {
 *   ok: false,
 *   error: "unfaithful_number",
 *   detail: 'the number 12345678901234567890 at "/id/0" would become 12345678901234567000',
 * });
 * ```
 */
export function parseFaithfulJson(text: string): FaithfulJsonResult {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused("invalid_json", (error as SyntaxError).message);
  }
  return findFault(text) ?? { ok: true, value };
}

/** Looks through a text that is known to be JSON, once, without recursion. */
function findFault(text: string): FaithfulJsonResult | undefined {
  const keysOf: (Set<string> | undefined)[] = []; // of each open container; an array has none
  const path: (string | number)[] = [];
  let keys: Set<string> | undefined;
  let keyIsNext = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfString(text, i);
        if (keyIsNext) {
          const key = readString(text, i, end);
          path[path.length - 1] = key;
          if (keys!.has(key)) {
            return refused("duplicate_key", `the object has the key at "${pointerOf(path)}" twice`);
          }
          keys!.add(key);
          keyIsNext = false;
        }
        i = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (path.length === MAX_JSON_DEPTH) {
          return refused(
            "invalid_json",
            `it is nested deeper than ${MAX_JSON_DEPTH} levels at offset ${i}`,
          );
        }
        keyIsNext = text.charCodeAt(i) === OPEN_OBJECT;
        keys = keyIsNext ? new Set() : undefined;
        keysOf.push(keys);
        path.push(0);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        keysOf.pop();
        path.pop();
        keys = keysOf.at(-1);
        keyIsNext = false;
        break;
      case COMMA:
        keyIsNext = keys !== undefined;
        if (!keyIsNext) path[path.length - 1] = Number(path.at(-1)) + 1;
        break;
      default:
        if (startsNumber(text.charCodeAt(i))) {
          const start = i;
          while (isNumberPart(text.charCodeAt(i + 1))) i++;
          const written = text.slice(start, i + 1);
          if (!isFaithful(written)) return unfaithful(written, path);
        }
    }
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

function readString(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes("\\") ? JSON.parse(`"${raw}"`) : raw;
}

function startsNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d;
}

/** Digits, the signs, the point, `E` and `e`. */
function isNumberPart(code: number): boolean {
  return startsNumber(code) || code === 0x2b || code === 0x2e || code === 0x45 || code === 0x65;
}

/** Up to 15 significant digits always survive, but for the sign of a zero. */
const SURELY_FAITHFUL = /^(?:0|-?[0-9.]*[1-9][0-9.]*)$/;

function isFaithful(written: string): boolean {
  if (written.length <= 15 && SURELY_FAITHFUL.test(written)) return true;
  const number = Number(written);
  if (!Number.isFinite(number)) return false;
  const [meant, read] = [readDecimal(written), readDecimal(String(number))];
  return meant.negative === read.negative && meant.digits === read.digits &&
    meant.exponent === read.exponent;
}

function unfaithful(written: string, path: readonly (string | number)[]): FaithfulJsonResult {
  return refused(
    "unfaithful_number",
    `the number ${excerpt(written, 60)} at "${pointerOf(path)}" would become ${Number(written)}`,
  );
}

function refused(error: FaithfulJsonFault, detail: string): FaithfulJsonResult {
  return { ok: false, error, detail };
}
