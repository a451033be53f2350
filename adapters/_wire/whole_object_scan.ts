/**
 * Tells whether a text that arrives in pieces is a whole JSON object yet. It looks at each character once, for a server
 * decides how many pieces there are.
 */
export class WholeObjectScan {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Whether the first bracket is closed, with nothing but space behind it. */
  #closed = false;
  #overrun = false;
  #isObject: boolean | undefined;

  /** Takes the next piece. */
  push(piece: string): void {
    for (let i = 0; i < piece.length && !this.#overrun; i++) this.#take(piece[i]!);
  }

  /**
   * Whether the pieces so far are a whole JSON object.
   *
   * @param text The pieces, joined.
   */
  isWhole(text: string): boolean {
    if (!this.#closed || this.#overrun) return false;
    return this.#isObject ??= isJsonObject(text);
  }

  #take(char: string): void {
    if (this.#closed) {
      this.#overrun = !/[ \t\r\n]/.test(char);
    } else if (this.#escaped) {
      this.#escaped = false;
    } else if (this.#inString) {
      this.#escaped = char === "\\";
      this.#inString = char !== '"';
    } else if (char === '"') {
      this.#inString = true;
    } else if (char === "{" || char === "[") {
      this.#depth++;
    } else if (char === "}" || char === "]") {
      this.#depth--;
      this.#closed = this.#depth === 0;
    }
  }
}

/** Of a text whose outermost bracket is closed. */
function isJsonObject(text: string): boolean {
  try {
    return !Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
