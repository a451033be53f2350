import { countCodePoints } from "../../../types/mod.ts";
import type { CheckedSpec } from "../_checked_spec.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import type { TextDraft } from "../_drafts/draft.ts";
import { formatText, sectionMessage } from "../_format.ts";
import { CuttableText } from "./cuttable_text.ts";
import type { TrimmedSection } from "./trimmed_section.ts";

/** A section of text, which may be dropped and, where it is a tool result, cut. */
export class TrimmableText {
  readonly survivor: Survivor;
  readonly #draft: TextDraft;
  readonly #maxChars: number;
  readonly #text: CuttableText;
  #isDropped = false;

  /** Begins with the whole text. */
  constructor(survivor: Survivor, draft: TextDraft, spec: CheckedSpec) {
    this.survivor = survivor;
    this.#draft = draft;
    this.#maxChars = spec.maxChars;
    this.#text = new CuttableText(
      draft.body,
      spec.texts.truncationNotice,
      (body) => formatText(draft, body, spec),
    );
  }

  /** Its size, in code points. */
  get size(): number {
    return this.#isDropped ? 0 : this.#text.size;
  }

  /** What is left. */
  get trimmed(): TrimmedSection {
    const { survivor } = this;
    const over = `over the budget of ${this.#maxChars}`;
    if (this.#isDropped) {
      const reason = `${over}: dropped at priority ${survivor.priority}`;
      return { survivor, outcome: "dropped", messages: [], size: 0, reason };
    }
    const { text, size, cutChars } = this.#text;
    const messages = [{ message: sectionMessage(this.#draft, text), size, cutChars }];
    const left = { survivor, messages, text, size };
    if (cutChars === 0) return { ...left, outcome: "included" };
    const length = countCodePoints(this.#draft.body);
    const reason = `${over}: ${cutChars} of ${length} characters cut off`;
    return { ...left, outcome: "trimmed", reason };
  }

  /** Cuts a tool result so that `excess` is saved, as far as that goes. Gives what was saved. */
  cutResults(excess: number): number {
    return this.#draft.section.kind === "tool_result" ? this.#text.cut(excess) : 0;
  }

  /** Shows as much of what was cut as there is room for. Gives how much of the room was taken. */
  giveBack(room: number): number {
    return this.#isDropped ? 0 : this.#text.giveBack(room);
  }

  /** Takes it out of the prompt. Gives what was saved. */
  drop(): number {
    const saved = this.size;
    this.#isDropped = true;
    return saved;
  }
}
