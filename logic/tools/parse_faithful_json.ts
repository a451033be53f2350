import {
  errorInfo,
  excerpt,
  JsonTokenizer,
  type JsonTokenKind,
  type JsonValue,
  MAX_JSON_DEPTH,
  requireString,
} from "../../types/mod.ts";
import { readDecimal } from "./_json/decimal.ts";
import { pathOf } from "./_json/path.ts";

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
 *   detail: "$.id[0]: 12345678901234567890 is not exact as a number: write it as a string",
 * });
 * ```
 *
 * @param text What to read.
 * @param root The name that the places in `detail` start with. Default `$`.
 * @throws {InvalidRequestError} If one of them is no text.
 */
export function parseFaithfulJson(text: string, root = "$"): FaithfulJsonResult {
  requireString("text", text);
  requireString("root", root);
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused("invalid_json", withPosition(errorInfo(error).message, text));
  }
  return findFault(text, root) ?? { ok: true, value };
}

/** Adds the place that the engine leaves out of its message about a text that ends too early. */
function withPosition(message: string, text: string): string {
  const isEnd = /\bend\b/.test(message) && !/\bposition\b|\bline\b/.test(message);
  return isEnd ? `${message} at position ${text.length}` : message;
}

/** Looks through a text that is known to be JSON, once, without recursion. */
function findFault(text: string, root: string): FaithfulJsonResult | undefined {
  const finder = new FaultFinder(text, root);
  const tokenizer = new JsonTokenizer((kind, start, end) => finder.take(kind, start, end));
  tokenizer.push(text);
  tokenizer.end();
  return finder.fault;
}

/** Finds the first fault among the tokens of a JSON text. */
class FaultFinder {
  readonly #text: string;
  readonly #root: string;
  /** The keys so far of each open container; an array has none. */
  readonly #keys: (Set<string> | undefined)[] = [];
  readonly #path: (string | number)[] = [];
  fault: FaithfulJsonResult | undefined;

  constructor(text: string, root: string) {
    this.#text = text;
    this.#root = root;
  }

  take(kind: JsonTokenKind, start: number, end: number): void {
    if (this.fault !== undefined) return;
    switch (kind) {
      case "{":
      case "[":
        this.fault = this.#tooDeep(start);
        this.#keys.push(kind === "{" ? new Set() : undefined);
        this.#path.push(0);
        break;
      case "}":
      case "]":
        this.#keys.pop();
        this.#path.pop();
        break;
      case ",":
        if (this.#keys.at(-1) === undefined) this.#path.push(Number(this.#path.pop()) + 1);
        break;
      case "key":
        this.fault = this.#keyTwice(readString(this.#text.slice(start, end)));
        break;
      case "number":
        this.fault = this.#unfaithful(this.#text.slice(start, end));
    }
  }

  #tooDeep(offset: number): FaithfulJsonResult | undefined {
    if (this.#path.length < MAX_JSON_DEPTH) return undefined;
    const detail = `it is nested deeper than ${MAX_JSON_DEPTH} levels at offset ${offset}`;
    return refused("invalid_json", detail);
  }

  #keyTwice(key: string): FaithfulJsonResult | undefined {
    this.#path[this.#path.length - 1] = key;
    const keys = this.#keys.at(-1);
    if (!keys?.has(key)) {
      keys?.add(key);
      return undefined;
    }
    const detail = `${this.#place()}: the object has this key twice`;
    return refused("duplicate_key", detail);
  }

  #unfaithful(written: string): FaithfulJsonResult | undefined {
    if (isFaithful(written)) return undefined;
    const number = excerpt(written, 60);
    const detail = `${this.#place()}: ${number} is not exact as a number: write it as a string`;
    return refused("unfaithful_number", detail);
  }

  #place(): string {
    return excerpt(pathOf(this.#root, this.#path), 200);
  }
}

function readString(token: string): string {
  return token.includes("\\") ? JSON.parse(token) : token.slice(1, -1);
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

function refused(error: FaithfulJsonFault, detail: string): FaithfulJsonResult {
  return { ok: false, error, detail };
}
