import { countCodePoints, cutWithNotice } from "../../../types/mod.ts";

/** A text of which the middle may be left out, and given back. */
export class CuttableText {
  readonly #body: string;
  readonly #length: number;
  readonly #notice: string;
  readonly #write: (body: string) => string;
  #shown: Shown;

  /**
   * Begins with the whole text.
   *
   * @param write What is shown of a body: called for each length that is tried, so that no fence around it is cut.
   */
  constructor(body: string, notice: string, write: (body: string) => string = (text) => text) {
    this.#body = body;
    this.#length = countCodePoints(body);
    this.#notice = notice;
    this.#write = write;
    this.#shown = this.#keeping(this.#length);
  }

  /** What is shown. */
  get text(): string {
    return this.#shown.text;
  }

  /** Its size, in code points. */
  get size(): number {
    return this.#shown.size;
  }

  /** How many code points of the body are left out. */
  get cutChars(): number {
    return this.#shown.cutChars;
  }

  /**
   * Makes it smaller by `excess`, or, where that cannot be, only the notice; leaves it as it is where even that is no
   * smaller. Gives what was saved.
   */
  cut(excess: number): number {
    const { size } = this.#shown;
    const cut = this.#longest(size - excess) ?? this.#keeping(0);
    if (cut.size >= size) return 0;
    this.#shown = cut;
    return size - cut.size;
  }

  /** Shows as much of what was left out as there is room for. Gives how much of the room was taken. */
  giveBack(room: number): number {
    const { size, cutChars } = this.#shown;
    if (cutChars === 0) return 0;
    const whole = this.#keeping(this.#length);
    const longer = whole.size <= size + room ? whole : this.#longest(size + room);
    if (longer === undefined || longer.cutChars >= cutChars) return 0;
    this.#shown = longer;
    return longer.size - size;
  }

  /** The longest cut of at most `target` code points, by bisection over how much of the body is kept. */
  #longest(target: number): Shown | undefined {
    let best: Shown | undefined;
    let low = 0;
    let high = this.#length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const cut = this.#keeping(middle);
      if (cut.size <= target) {
        best = cut;
        low = middle + 1;
      } else high = middle - 1;
    }
    return best;
  }

  #keeping(kept: number): Shown {
    const { text: body, truncatedChars } = cutWithNotice(this.#body, kept, this.#notice);
    const text = this.#write(body);
    return { text, size: countCodePoints(text), cutChars: truncatedChars };
  }
}

interface Shown {
  readonly text: string;
  readonly size: number;
  readonly cutChars: number;
}
