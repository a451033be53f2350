import type { CheckedSpec } from "../_checked_spec.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import { PinnedOverBudgetError } from "../context_errors.ts";
import { TrimmableConversation } from "./trimmable_conversation.ts";
import { TrimmableText } from "./trimmable_text.ts";
import type { TrimmedSection } from "./trimmed_section.ts";

type Trimmable = TrimmableText | TrimmableConversation;

/**
 * Stage 5, if the budget is exceeded: tool results are cut, those in conversations too, then the oldest groups of
 * conversations compressed or dropped, then other sections dropped, each by rising priority; never what is protected.
 * The room that is then left is given back to the results that were cut.
 *
 * @throws {PinnedOverBudgetError} If what is protected does not fit by itself; before any hook runs.
 */
export async function trim(
  survivors: readonly Survivor[],
  spec: CheckedSpec,
): Promise<readonly TrimmedSection[]> {
  const sections = survivors.map((survivor) => trimmable(survivor, spec));
  const size = sizeOf(sections);
  if (size > spec.maxChars) {
    refuseOverfullProtected(sections, spec.maxChars);
    await save(size - spec.trimToChars, sections);
  }
  return sections.map((section) => section.trimmed);
}

function trimmable(survivor: Survivor, spec: CheckedSpec): Trimmable {
  const { draft } = survivor;
  return draft.voice === "turns"
    ? new TrimmableConversation(survivor, draft, spec)
    : new TrimmableText(survivor, draft, spec);
}

function sizeOf(sections: readonly Trimmable[]): number {
  return sections.reduce((sum, { size }) => sum + size, 0);
}

function refuseOverfullProtected(sections: readonly Trimmable[], maxChars: number): void {
  const fixed = sections.filter(({ survivor }) => survivor.isProtected);
  if (sizeOf(fixed) <= maxChars) return;
  throw new PinnedOverBudgetError(
    maxChars,
    fixed.map(({ survivor, size }) => ({ id: survivor.draft.section.id, size })),
  );
}

/**
 * Trims until `excess` is saved, by rising priority. Of texts with one priority the later goes first, of conversations
 * the earlier, which is the older.
 */
async function save(excess: number, sections: readonly Trimmable[]): Promise<void> {
  const open = sections.filter(({ survivor }) => !survivor.isProtected);
  const texts = open.filter((section) => section instanceof TrimmableText)
    .reverse().sort(byPriority);
  const conversations = open.filter((section) => section instanceof TrimmableConversation)
    .sort(byPriority);
  let saved = 0;
  for (const section of [...texts, ...conversations]) {
    if (saved < excess) saved += section.cutResults(excess - saved);
  }
  for (const conversation of conversations) saved += await conversation.shorten(excess - saved);
  for (const conversation of conversations) saved += conversation.dropSummaries(excess - saved);
  for (const text of texts) {
    if (saved < excess) saved += text.drop();
  }
  for (const section of [...texts, ...conversations].reverse()) {
    if (saved > excess) saved -= section.giveBack(saved - excess);
  }
}

function byPriority(a: Trimmable, b: Trimmable): number {
  return a.survivor.priority - b.survivor.priority;
}
