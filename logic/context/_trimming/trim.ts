import { countCodePoints } from "../../../types/mod.ts";
import type { Recipe } from "../_checked_spec.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import { formatText, sectionMessage } from "../_format.ts";
import { PinnedOverBudgetError } from "../context_errors.ts";
import { cutResult } from "./cut_result.ts";
import { TrimmableConversation } from "./trimmable_conversation.ts";
import type { Fitted } from "./trimmed_section.ts";

/**
 * Stage 5, if the budget is exceeded: tool results are cut, then the oldest groups of conversations compressed or
 * dropped, then other sections dropped, each by rising priority; never what is protected.
 *
 * @throws {PinnedOverBudgetError} If what is protected does not fit by itself; before any hook runs.
 */
export async function trim(
  survivors: readonly Survivor[],
  recipe: Recipe,
): Promise<readonly Fitted[]> {
  const fitted = survivors.map((survivor) => whole(survivor, recipe));
  const size = fitted.reduce((sum, item) => sum + item.size, 0);
  if (size <= recipe.maxChars) return fitted;
  refuseOverfullProtected(fitted, recipe.maxChars);

  let excess = size - recipe.trimToChars;
  const replace = (i: number, smaller: Fitted) => {
    excess -= fitted[i]!.size - smaller.size;
    fitted[i] = smaller;
  };
  const { texts, conversations } = trimmable(fitted);
  for (const i of texts) {
    if (excess <= 0) break;
    if (fitted[i]!.survivor.draft.section.kind === "tool_result") {
      replace(i, cutResult(fitted[i]!, excess, recipe));
    }
  }
  excess -= await trimConversations(fitted, conversations, excess, recipe);
  for (const i of texts) {
    if (excess <= 0) break;
    replace(i, dropped(fitted[i]!, recipe.maxChars));
  }
  return fitted;
}

/** A section as it is without any trimming. */
function whole(survivor: Survivor, recipe: Recipe): Fitted {
  const { draft } = survivor;
  if (typeof draft.body !== "string") {
    return new TrimmableConversation(survivor).fitted(recipe.maxChars);
  }
  const text = formatText(draft, draft.body, recipe);
  return {
    survivor,
    outcome: "included",
    text,
    messages: [sectionMessage(draft, text)],
    size: countCodePoints(text),
  };
}

function refuseOverfullProtected(fitted: readonly Fitted[], maxChars: number): void {
  const fixed = fitted.filter((item) => item.survivor.isProtected);
  if (fixed.reduce((sum, item) => sum + item.size, 0) <= maxChars) return;
  throw new PinnedOverBudgetError(
    maxChars,
    fixed.map(({ survivor, size }) => ({ id: survivor.draft.section.id, size })),
  );
}

/**
 * The places of what may be trimmed, by rising priority. Of texts with one priority the later goes first, of
 * conversations the earlier, which is the older.
 */
function trimmable(
  fitted: readonly Fitted[],
): { readonly texts: readonly number[]; readonly conversations: readonly number[] } {
  const priority = (i: number) => fitted[i]!.survivor.priority;
  const byPriority = (a: number, b: number) => priority(a) - priority(b);
  const places = [...fitted.keys()].filter((i) => !fitted[i]!.survivor.isProtected);
  const isText = (i: number) => typeof fitted[i]!.survivor.draft.body === "string";
  return {
    texts: places.filter(isText).reverse().sort(byPriority),
    conversations: places.filter((i) => !isText(i)).sort(byPriority),
  };
}

/** Compresses or drops groups, then drops what they were compressed to. Gives what it saved. */
async function trimConversations(
  fitted: Fitted[],
  places: readonly number[],
  excess: number,
  recipe: Recipe,
): Promise<number> {
  const open = places.map((i) => ({
    i,
    conversation: new TrimmableConversation(fitted[i]!.survivor),
  }));
  let saved = 0;
  for (const { conversation } of open) {
    saved += await conversation.shorten(excess - saved, recipe);
  }
  for (const { conversation } of open) saved += conversation.dropSummaries(excess - saved);
  for (const { i, conversation } of open) fitted[i] = conversation.fitted(recipe.maxChars);
  return saved;
}

function dropped({ survivor }: Fitted, maxChars: number): Fitted {
  return {
    survivor,
    outcome: "dropped",
    messages: [],
    size: 0,
    reason: `over the budget of ${maxChars}: dropped at priority ${survivor.priority}`,
  };
}
