import type { ModelDelta } from "../../../ports/mod.ts";
import { mayOpenThoughts, openedThoughts, type ThoughtMarks } from "./inline_thoughts.ts";

/** How much white space is held back, since thoughts or the end of them may follow it. */
const MAX_HELD_SPACE = 1_000;

/** How many characters at the end of thoughts may yet be a part of the mark that closes them. */
const HELD_CHARS = 48;

/**
 * Tells the pieces of a reply as they arrive, thoughts inside the text as reasoning. What cannot be told yet is held
 * back; what was told as something else in the end is told anew.
 */
export class ToldPieces {
  readonly #onDelta: ((delta: ModelDelta) => void) | undefined;
  /** Where the text is: before anything is known of it, in thoughts of a kind, or after all thoughts. */
  #at: "start" | ThoughtMarks | "text";
  #held = "";
  /** Whether nothing has been told of the thoughts that the text is in. */
  #isFresh = false;
  readonly #told = { text: "", reasoning: "" };

  /** @param split Whether thoughts are to be looked for in the text. */
  constructor(onDelta: ((delta: ModelDelta) => void) | undefined, split: boolean) {
    this.#onDelta = onDelta;
    this.#at = split ? "start" : "text";
  }

  /** Tells a piece of the reasoning that came apart from the text. */
  takeReasoning(piece: string): void {
    this.#tell("reasoning", piece);
  }

  /** Takes a piece of the text. */
  takeText(piece: string): void {
    if (this.#onDelta === undefined) return;
    if (this.#at === "text") return this.#tell("text", piece);
    this.#held += piece;
    while (this.#advance());
  }

  /** Tells what is left, now that the whole is known. */
  finish(text: string, reasoning: string): void {
    if (this.#onDelta === undefined) return;
    const left = this.#held.trimEnd();
    if (typeof this.#at === "string") this.#tell("text", left);
    else this.#tellThoughts(left);
    if (this.#told.text === text && this.#told.reasoning === reasoning) return;
    this.#onDelta({ kind: "restart" });
    this.#tell("reasoning", reasoning);
    this.#tell("text", text);
  }

  /** Tells what is sure; answers whether there may be more. */
  #advance(): boolean {
    return typeof this.#at === "string" ? this.#begin() : this.#think(this.#at);
  }

  #begin(): boolean {
    const text = this.#held.trimStart();
    if (text === "" && this.#held.length < MAX_HELD_SPACE) return false;
    const opened = openedThoughts(text);
    if (opened !== undefined) {
      this.#at = opened.marks;
      this.#held = opened.inside;
      this.#isFresh = true;
      return true;
    }
    if (text !== "" && mayOpenThoughts(text)) return false;
    this.#at = "text";
    this.#tell("text", this.#told.reasoning === "" ? this.#held : text);
    this.#held = "";
    return false;
  }

  #think({ either }: ThoughtMarks): boolean {
    const [first] = this.#held.matchAll(either);
    if (first !== undefined && first[1] === undefined) {
      this.#tellThoughts(this.#held.slice(0, first.index).trimEnd());
      this.#held = this.#held.slice(first.index + first[0].length);
      this.#at = "start";
      return true;
    }
    const may = this.#held.slice(0, -HELD_CHARS);
    const sure = may.length < MAX_HELD_SPACE ? may.trimEnd() : may;
    this.#tellThoughts(sure);
    this.#held = this.#held.slice(sure.length);
    return false;
  }

  /** Tells thoughts without the white space that they begin with, apart from those before. */
  #tellThoughts(piece: string): void {
    const text = this.#isFresh ? piece.trimStart() : piece;
    if (text === "") return;
    if (this.#isFresh && this.#told.reasoning !== "") this.#tell("reasoning", "\n\n");
    this.#isFresh = false;
    this.#tell("reasoning", text);
  }

  #tell(kind: "text" | "reasoning", text: string): void {
    if (text === "") return;
    this.#told[kind] += text;
    this.#onDelta?.({ kind, text });
  }
}
