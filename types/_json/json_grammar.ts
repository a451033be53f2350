/** What a token of a JSON text is: a bracket, a comma or colon, a string, a number, or `true`, `false` or `null`. */
export type JsonLexeme = "{" | "}" | "[" | "]" | "," | ":" | "string" | "number" | "word";

/** A {@link JsonLexeme} in its place: a string that names a member is a `key`. */
export type JsonTokenKind = JsonLexeme | "key";

/** Tells which tokens of a JSON text may follow one another. */
export class JsonGrammar {
  /** What closes each open container, outermost first. */
  readonly #closers: ("}" | "]")[] = [];
  #next: "value" | "value_or_close" | "key" | "key_or_close" | "colon" | "comma_or_close" | "end" =
    "value";

  /** Takes the next token, and tells what it is in its place. Absent: no JSON text goes on like that. */
  take(lexeme: JsonLexeme): JsonTokenKind | undefined {
    switch (lexeme) {
      case "{":
      case "[":
        return this.#open(lexeme);
      case "}":
      case "]":
        return this.#close(lexeme);
      case ",":
        if (this.#next !== "comma_or_close") return undefined;
        this.#next = this.#closers.at(-1) === "}" ? "key" : "value";
        return lexeme;
      case ":":
        if (this.#next !== "colon") return undefined;
        this.#next = "value";
        return lexeme;
      case "string":
        if (this.#next !== "key" && this.#next !== "key_or_close") return this.#value(lexeme);
        this.#next = "colon";
        return "key";
      default:
        return this.#value(lexeme);
    }
  }

  /** Whether the tokens so far are a whole JSON text. */
  isWhole(): boolean {
    return this.#next === "end";
  }

  #open(bracket: "{" | "["): JsonTokenKind | undefined {
    if (!this.#isValueNext()) return undefined;
    this.#closers.push(bracket === "{" ? "}" : "]");
    this.#next = bracket === "{" ? "key_or_close" : "value_or_close";
    return bracket;
  }

  #close(bracket: "}" | "]"): JsonTokenKind | undefined {
    if (this.#closers.at(-1) !== bracket || !this.#isCloseNext()) return undefined;
    this.#closers.pop();
    this.#endValue();
    return bracket;
  }

  #value(lexeme: JsonLexeme): JsonTokenKind | undefined {
    if (!this.#isValueNext()) return undefined;
    this.#endValue();
    return lexeme;
  }

  #isValueNext(): boolean {
    return this.#next === "value" || this.#next === "value_or_close";
  }

  #isCloseNext(): boolean {
    return this.#next === "comma_or_close" || this.#next === "value_or_close" ||
      this.#next === "key_or_close";
  }

  #endValue(): void {
    this.#next = this.#closers.length > 0 ? "comma_or_close" : "end";
  }
}
