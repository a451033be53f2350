import { countCodePoints, type Message } from "../../../types/mod.ts";
import type { CheckedSpec } from "../_checked_spec.ts";
import { dataFence } from "../_data_fence.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import type { ConversationDraft } from "../_drafts/draft.ts";
import { isBlankText } from "../_drafts/normalise.ts";
import { errorText } from "../_error_text.ts";
import { provenanceOf, turnMessage } from "../_format.ts";
import type { GroupCounts } from "../build_report.ts";
import type { ContextHooks } from "../context_spec.ts";
import { conversationGroups } from "./conversation_groups.ts";
import type { CuttableText } from "./cuttable_text.ts";
import { TrimmableGroup } from "./trimmable_group.ts";
import type { TrimmedSection } from "./trimmed_section.ts";

/** A conversation whose tool results are cut, and whose groups are then compressed and dropped, the oldest first. */
export class TrimmableConversation {
  readonly survivor: Survivor;
  readonly #spec: CheckedSpec;
  readonly #groups: readonly TrimmableGroup[];
  readonly #failures: string[] = [];

  /** Begins with all groups kept. */
  constructor(survivor: Survivor, { section, body }: ConversationDraft, spec: CheckedSpec) {
    this.survivor = survivor;
    this.#spec = spec;
    const turns = body.map((turn) => turnMessage(section, turn));
    const { truncationNotice } = spec.texts;
    this.#groups = conversationGroups(turns).map((group) =>
      new TrimmableGroup(group, truncationNotice)
    );
  }

  /** Its size, in code points. */
  get size(): number {
    return this.#groups.reduce((sum, { size }) => sum + size, 0);
  }

  /** What is left. */
  get trimmed(): TrimmedSection {
    const groups = { kept: 0, compressed: 0, dropped: 0 };
    for (const { state } of this.#groups) groups[state]++;
    const messages = this.#groups.flatMap((group) => group.messages);
    const left = { survivor: this.survivor, messages, size: this.size, groups };
    const cutChars = messages.reduce((sum, message) => sum + message.cutChars, 0);
    if (groups.kept === this.#groups.length && cutChars === 0) {
      return { ...left, outcome: "included" };
    }
    const outcome = messages.length === 0
      ? "dropped"
      : groups.compressed > 0
      ? "compressed"
      : "trimmed";
    return { ...left, outcome, reason: this.#reason(groups, cutChars) };
  }

  /** Cuts tool results until `excess` is saved: the longest first, those of the newest group last. Gives what was saved. */
  cutResults(excess: number): number {
    const older = this.#groups.slice(0, -1).flatMap(({ results }) => results);
    const newest = this.#groups.at(-1)?.results ?? [];
    let saved = 0;
    for (const result of [...longestFirst(older), ...longestFirst(newest)]) {
      if (saved < excess) saved += result.cut(excess - saved);
    }
    return saved;
  }

  /** Shows as much of cut results as there is room for, the newest first. Gives how much of the room was taken. */
  giveBack(room: number): number {
    let taken = 0;
    for (const group of this.#groups.toReversed()) {
      for (const result of group.results.toReversed()) taken += result.giveBack(room - taken);
    }
    return taken;
  }

  /** Compresses or drops kept groups until `excess` is saved. Gives what was saved. */
  async shorten(excess: number): Promise<number> {
    const { compress } = this.#spec;
    let saved = 0;
    for (const group of this.#groups) {
      if (saved >= excess) break;
      const summary = compress && await this.#summarise(group, compress);
      saved += summary === undefined ? group.drop() : group.compressTo(summary);
    }
    return saved;
  }

  /** Drops compressed groups until `excess` is saved. Gives what was saved. */
  dropSummaries(excess: number): number {
    let saved = 0;
    for (const group of this.#groups) {
      if (saved >= excess) break;
      if (group.state === "compressed") saved += group.drop();
    }
    return saved;
  }

  /** The message that stands for a group; nothing if the hook gave no shorter text. */
  async #summarise(
    group: TrimmableGroup,
    compress: NonNullable<ContextHooks["compress"]>,
  ): Promise<Message | undefined> {
    const { section } = this.survivor.draft;
    try {
      const given = await compress({
        sectionId: section.id,
        messages: group.turns,
        size: group.wholeSize,
      });
      if (given === null) return undefined;
      if (typeof given !== "string" || isBlankText(given)) {
        throw new TypeError("it gave no text");
      }
      const { hasResults, isUntrusted } = group;
      const text = hasResults || isUntrusted ? dataFence(given, this.#spec.texts) : given;
      if (countCodePoints(text) >= group.size) throw new RangeError("its text is no shorter");
      const origin = provenanceOf(section);
      const provenance = isUntrusted ? { ...origin, trust: "untrusted" } : origin;
      return { role: "user", content: [{ type: "text", text }], provenance };
    } catch (cause) {
      this.#failures.push(errorText(cause));
      return undefined;
    }
  }

  #reason({ dropped, compressed }: GroupCounts, cutChars: number): string {
    const failed = this.#failures.length === 0
      ? ""
      : `; compress failed for ${this.#failures.length}, first with "${this.#failures[0]}"`;
    return `over the budget of ${this.#spec.maxChars}: of ${this.#groups.length} groups ${dropped} dropped, ${compressed} compressed, ${cutChars} characters of tool results cut off${failed}`;
  }
}

function longestFirst(results: readonly CuttableText[]): readonly CuttableText[] {
  return results.toSorted((a, b) => b.size - a.size);
}
