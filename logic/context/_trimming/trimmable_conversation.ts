import { countCodePoints, deepFreeze, type Message } from "../../../types/mod.ts";
import type { CheckedSpec } from "../_checked_spec.ts";
import { dataFence } from "../_data_fence.ts";
import { messagesSize } from "../_drafts/body.ts";
import type { Survivor } from "../_drafts/dedupe.ts";
import type { ConversationDraft } from "../_drafts/draft.ts";
import { isBlankText } from "../_drafts/normalise.ts";
import { errorText } from "../_error_text.ts";
import { provenanceOf, turnMessage } from "../_format.ts";
import type { GroupCounts } from "../build_report.ts";
import type { ContextHooks } from "../context_spec.ts";
import { conversationGroups } from "./conversation_groups.ts";
import type { TrimmedSection } from "./trimmed_section.ts";

interface GroupState {
  readonly isProtocol: boolean;
  readonly isUntrusted: boolean;
  messages: readonly Message[];
  size: number;
  state: keyof GroupCounts;
}

/** A conversation whose groups are compressed and dropped, the oldest first. */
export class TrimmableConversation {
  readonly survivor: Survivor;
  readonly #spec: CheckedSpec;
  readonly #groups: GroupState[];
  readonly #failures: string[] = [];

  /** Begins with all groups kept. */
  constructor(survivor: Survivor, { section, body }: ConversationDraft, spec: CheckedSpec) {
    this.survivor = survivor;
    this.#spec = spec;
    this.#groups = conversationGroups(body).map((group) => ({
      isProtocol: group.isProtocol,
      isUntrusted: group.messages.some(isUntrusted),
      messages: deepFreeze(group.messages.map((turn) => turnMessage(section, turn))),
      size: messagesSize(group.messages),
      state: "kept",
    }));
  }

  /** Compresses or drops kept groups until `excess` is saved. Gives what was saved. */
  async shorten(excess: number): Promise<number> {
    const { compress } = this.#spec;
    let saved = 0;
    for (const group of this.#groups) {
      if (saved >= excess) break;
      const summary = compress && await this.#summarise(group, compress);
      saved += summary === undefined ? drop(group) : compressTo(group, summary);
    }
    return saved;
  }

  /** Drops compressed groups until `excess` is saved. Gives what was saved. */
  dropSummaries(excess: number): number {
    let saved = 0;
    for (const group of this.#groups) {
      if (saved >= excess) break;
      if (group.state === "compressed") saved += drop(group);
    }
    return saved;
  }

  /** What is left. */
  get trimmed(): TrimmedSection {
    const counts = { kept: 0, compressed: 0, dropped: 0 };
    for (const group of this.#groups) counts[group.state]++;
    const messages = this.#groups.flatMap((group) => group.messages);
    const rest = {
      survivor: this.survivor,
      messages,
      size: messagesSize(messages),
      groups: counts,
    };
    if (counts.kept === this.#groups.length) return { ...rest, outcome: "included" };
    const outcome = messages.length === 0
      ? "dropped"
      : counts.compressed > 0
      ? "compressed"
      : "trimmed";
    return { ...rest, outcome, reason: this.#reason(counts) };
  }

  /** The message that stands for a group; nothing if the hook gave no shorter text. */
  async #summarise(
    group: GroupState,
    compress: NonNullable<ContextHooks["compress"]>,
  ): Promise<Message | undefined> {
    const { section } = this.survivor.draft;
    try {
      const given = await compress({
        sectionId: section.id,
        messages: group.messages,
        size: group.size,
      });
      if (given === null) return undefined;
      if (typeof given !== "string" || isBlankText(given)) {
        throw new TypeError("it gave no text");
      }
      const text = group.isProtocol || group.isUntrusted
        ? dataFence(given, this.#spec.texts)
        : given;
      if (countCodePoints(text) >= group.size) throw new RangeError("its text is no shorter");
      const origin = provenanceOf(section);
      const provenance = group.isUntrusted ? { ...origin, trust: "untrusted" } : origin;
      return { role: "user", content: [{ type: "text", text }], provenance };
    } catch (cause) {
      this.#failures.push(errorText(cause));
      return undefined;
    }
  }

  #reason(counts: GroupCounts): string {
    const total = this.#groups.length;
    const failed = this.#failures.length === 0
      ? ""
      : `; compress failed for ${this.#failures.length}, first with "${this.#failures[0]}"`;
    return `over the budget of ${this.#spec.maxChars}: of ${total} groups ${counts.dropped} dropped, ${counts.compressed} compressed${failed}`;
  }
}

function isUntrusted(message: Message): boolean {
  return message.provenance?.trust === "untrusted";
}

function drop(group: GroupState): number {
  const saved = group.size;
  group.messages = [];
  group.size = 0;
  group.state = "dropped";
  return saved;
}

function compressTo(group: GroupState, summary: Message): number {
  const size = messagesSize([summary]);
  const saved = group.size - size;
  group.messages = [summary];
  group.size = size;
  group.state = "compressed";
  return saved;
}
