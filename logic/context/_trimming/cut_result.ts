import { countCodePoints, fillText, takeCodePoints } from "../../../types/mod.ts";
import type { Recipe } from "../_checked_spec.ts";
import { formatText, sectionMessage } from "../_format.ts";
import type { Fitted } from "./trimmed_section.ts";

/**
 * A tool result whose body is cut so that it is smaller by `excess`, or, where that cannot be, cut to its notice; as it
 * was where even that is no smaller. The body is cut and then formatted, so that no fence is cut.
 */
export function cutResult(whole: Fitted, excess: number, recipe: Recipe): Fitted {
  const { draft } = whole.survivor;
  const body = draft.body as string;
  const length = countCodePoints(body);
  const cutTo = (kept: number): Cut => {
    const removed = length - kept;
    const notice = fillText(recipe.texts.truncationNotice, { removed });
    const text = formatText(draft, takeCodePoints(body, kept) + notice, recipe);
    return { text, size: countCodePoints(text), removed };
  };
  const cut = longest(length, whole.size - excess, cutTo) ?? cutTo(0);
  if (cut.size >= whole.size) return whole;
  return {
    survivor: whole.survivor,
    outcome: "trimmed",
    text: cut.text,
    messages: [sectionMessage(draft, cut.text)],
    size: cut.size,
    reason: `over the budget of ${recipe.maxChars}: ${cut.removed} of ${length} characters cut off`,
    cutChars: cut.removed,
  };
}

interface Cut {
  readonly text: string;
  readonly size: number;
  readonly removed: number;
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
