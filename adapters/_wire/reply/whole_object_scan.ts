import { JsonTokenizer, type JsonTokenKind } from "../../../types/mod.ts";

/**
 * Tells whether a text that arrives in pieces is a whole JSON object yet. It looks at each character once, for a server
 * decides how many pieces there are.
 */
export class WholeObjectScan {
  #first: JsonTokenKind | undefined;
  readonly #tokenizer = new JsonTokenizer((kind) => this.#first ??= kind);

  /** Takes the next piece. */
  push(piece: string): void {
    this.#tokenizer.push(piece);
  }

  /** Whether the pieces so far are a whole JSON object. */
  isWhole(): boolean {
    return this.#first === "{" && this.#tokenizer.isWhole();
  }
}
