import { JsonGrammar, type JsonLexeme, type JsonTokenKind } from "./json_grammar.ts";

export type { JsonLexeme, JsonTokenKind };

/** Takes a token that stands from `start` to before `end` of the text, in UTF-16 units. */
export type TakeJsonToken = (kind: JsonTokenKind, start: number, end: number) => void;

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const WORD = /^(?:true|false|null)$/;

/**
 * Splits a JSON text into its tokens while it arrives, strictly as RFC 8259 has it: it takes what `JSON.parse` takes.
 * Each character is looked at once; of the text it keeps only the beginning of a number or word; it does not recur. So a
 * text may be as long and as deep as memory lets it.
 *
 * @example
 * ```ts
 * import { JsonTokenizer } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const tokens: string[] = [];
 * const tokenizer = new JsonTokenizer((kind, start, end) => tokens.push(`${kind} ${start}-${end}`));
 * tokenizer.push('{"a" : tr');
 * assertEquals(tokens, ["{ 0-1", "key 1-4", ": 5-6"]);
 * tokenizer.push("ue}");
 * assertEquals(tokens.slice(3), ["word 7-11", "} 11-12"]);
 * assertEquals(tokenizer.isWhole(), true);
 * ```
 */
export class JsonTokenizer {
  readonly #take: TakeJsonToken;
  readonly #grammar = new JsonGrammar();
  #isBroken = false;
  /** Where the piece at hand begins in the text. */
  #offset = 0;
  /** Where the string, number or word begins that is not whole yet. */
  #start = 0;
  #inString = false;
  /** Whether a backslash came, and what belongs to it has not come whole. */
  #inEscape = false;
  /** How many hex digits of it are still to come. */
  #hexDigits = 0;
  /** What has arrived of a number or word. */
  #word = "";

  /** Makes a tokenizer for one text. */
  constructor(take: TakeJsonToken = () => {}) {
    this.#take = take;
  }

  /** Takes the next piece of the text; one that follows on what is no JSON is not looked at. */
  push(piece: string): void {
    for (let at = 0; at < piece.length && !this.#isBroken;) {
      if (this.#inEscape) this.#readEscape(piece.charAt(at++));
      else if (this.#inString) at = this.#readString(piece, at);
      else if (isWordPart(piece.charCodeAt(at))) at = this.#readWord(piece, at);
      else this.#readMark(piece.charAt(at), this.#offset + at++);
    }
    this.#offset += piece.length;
  }

  /** Whether what was pushed is a whole JSON text whatever follows: a number or word may still go on. */
  isWhole(): boolean {
    return this.#grammar.isWhole() && !this.#isBroken && !this.#inString && this.#word === "";
  }

  /** Ends the text. Tells whether it is JSON. */
  end(): boolean {
    this.#endWord(this.#offset);
    return this.isWhole();
  }

  #emit(lexeme: JsonLexeme, start: number, end: number): void {
    const kind = this.#grammar.take(lexeme);
    if (kind === undefined) this.#isBroken = true;
    else this.#take(kind, start, end);
  }

  #readString(piece: string, from: number): number {
    let at = from;
    while (at < piece.length && isPlain(piece.charCodeAt(at))) at++;
    if (at === piece.length) return at;
    switch (piece.charAt(at++)) {
      case '"':
        this.#inString = false;
        this.#emit("string", this.#start, this.#offset + at);
        break;
      case "\\":
        this.#inEscape = true;
        break;
      default:
        this.#isBroken = true;
    }
    return at;
  }

  #readEscape(char: string): void {
    if (this.#hexDigits > 0) {
      this.#hexDigits--;
      this.#inEscape = this.#hexDigits > 0;
      this.#isBroken = !/[0-9A-Fa-f]/.test(char);
    } else if (char === "u") {
      this.#hexDigits = 4;
    } else {
      this.#inEscape = false;
      this.#isBroken = !'"\\/bfnrt'.includes(char);
    }
  }

  #readWord(piece: string, from: number): number {
    let end = from + 1;
    while (end < piece.length && isWordPart(piece.charCodeAt(end))) end++;
    if (this.#word === "") this.#start = this.#offset + from;
    this.#word += piece.slice(from, end);
    return end;
  }

  #endWord(end: number): void {
    const word = this.#word;
    if (word === "") return;
    this.#word = "";
    if (NUMBER.test(word)) this.#emit("number", this.#start, end);
    else if (WORD.test(word)) this.#emit("word", this.#start, end);
    else this.#isBroken = true;
  }

  /** Takes a character that stands in no string, number or word. */
  #readMark(mark: string, place: number): void {
    this.#endWord(place);
    if (this.#isBroken) return;
    switch (mark) {
      case " ":
      case "\t":
      case "\n":
      case "\r":
        return;
      case '"':
        this.#inString = true;
        this.#start = place;
        return;
      case "{":
      case "}":
      case "[":
      case "]":
      case ",":
      case ":":
        return this.#emit(mark, place, place + 1);
      default:
        this.#isBroken = true;
    }
  }
}

/** What stands for itself in a string. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

/** Letters, digits, the signs and the point: what numbers and words are made of. */
function isWordPart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) || code === 0x2d || code === 0x2e || code === 0x2b;
}
