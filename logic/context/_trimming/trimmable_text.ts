import { countCodePoints, fillText, takeCodePoints } from "../../../types/mod.ts";
import type { CheckedSpec } from "../_checked_spec.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import type { TextDraft } from "../_drafts/draft.ts";
import { formatText, sectionMessage } from "../_format.ts";
import type { TrimmedSection } from "./trimmed_section.ts";

/** A section of text, which may be dropped and, where it is a tool result, cut. */
export class TrimmableText {
  readonly survivor: Survivor;
  readonly #draft: TextDraft;
  readonly #spec: CheckedSpec;
  #trimmed: TrimmedSection;

  /** Begins with the whole text. */
  constructor(survivor: Survivor, draft: TextDraft, spec: CheckedSpec) {
    this.survivor = survivor;
    this.#draft = draft;
    this.#spec = spec;
    const text = formatText(draft, draft.body, spec);
    this.#trimmed = {
      survivor,
      outcome: "included",
      text,
      messages: [sectionMessage(draft, text)],
      size: countCodePoints(text),
    };
  }

  /** What is left. */
  get trimmed(): TrimmedSection {
    return this.#trimmed;
  }

  /**
   * Cuts the body of a tool result so that it is smaller by `excess`, or, where that cannot be, to its notice; leaves
   * it as it was where even that is no smaller. The body is cut and then formatted, so that no data fence is cut.
   * Gives what was saved.
   */
  cut(excess: number): number {
    if (this.#draft.section.kind !== "tool_result") return 0;
    const { size } = this.#trimmed;
    const length = countCodePoints(this.#draft.body);
    const cut = longest(length, size - excess, (kept) => this.#cutTo(kept, length)) ??
      this.#cutTo(0, length);
    if (cut.size >= size) return 0;
    this.#trimmed = {
      survivor: this.survivor,
      outcome: "trimmed",
      text: cut.text,
      messages: [sectionMessage(this.#draft, cut.text)],
      size: cut.size,
      reason:
        `over the budget of ${this.#spec.maxChars}: ${cut.truncatedChars} of ${length} characters cut off`,
      cutChars: cut.truncatedChars,
    };
    return size - cut.size;
  }

  /** Takes it out of the prompt. Gives what was saved. */
  drop(): number {
    const { size } = this.#trimmed;
    const { priority } = this.survivor;
    this.#trimmed = {
      survivor: this.survivor,
      outcome: "dropped",
      messages: [],
      size: 0,
      reason: `over the budget of ${this.#spec.maxChars}: dropped at priority ${priority}`,
    };
    return size;
  }

  #cutTo(kept: number, length: number): Cut {
    const { body } = this.#draft;
    const truncatedChars = length - kept;
    const notice = fillText(this.#spec.texts.truncationNotice, { truncatedChars });
    const text = formatText(this.#draft, takeCodePoints(body, kept) + notice, this.#spec);
    return { text, size: countCodePoints(text), truncatedChars };
  }
}

interface Cut {
  readonly text: string;
  readonly size: number;
  readonly truncatedChars: number;
}

/** The longest cut of at most `target` code points, by bisection over how much of the body is kept. */
function longest(length: number, target: number, cutTo: (kept: number) => Cut): Cut | undefined {
  let best: Cut | undefined;
  let low = 0;
  let high = length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const cut = cutTo(middle);
    if (cut.size <= target) {
      best = cut;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}
