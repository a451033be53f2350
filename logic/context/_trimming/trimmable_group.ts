import { type ContentBlock, deepFreeze, type Message, messageSize } from "../../../types/mod.ts";
import { messagesSize } from "../_drafts/body.ts";
import type { GroupCounts } from "../build_report.ts";
import { CuttableText } from "./cuttable_text.ts";
import type { TrimmedMessage } from "./trimmed_section.ts";

/** A group of a conversation: kept, with its tool results whole or cut; or replaced by a summary; or dropped. */
export class TrimmableGroup {
  /** The turns as they were given, deep-frozen. */
  readonly turns: readonly Message[];
  /** The size of the turns as they were given. */
  readonly wholeSize: number;
  /** Whether a tool's words are among them. */
  readonly hasResults: boolean;
  /** Whether any turn says that it is not to be trusted. */
  readonly isUntrusted: boolean;
  readonly #results: ReadonlyMap<ContentBlock, CuttableText>;
  #summary: Message | undefined;
  #state: keyof GroupCounts = "kept";

  /** Begins with the turns as they are. */
  constructor(turns: readonly Message[], truncationNotice: string) {
    this.turns = deepFreeze(turns);
    this.wholeSize = messagesSize(turns);
    this.isUntrusted = turns.some(({ provenance }) => provenance?.trust === "untrusted");
    this.#results = new Map(
      turns.flatMap(({ content }) => content).flatMap((block) =>
        block.type === "tool_result"
          ? [[block, new CuttableText(block.text, truncationNotice)] as const]
          : []
      ),
    );
    this.hasResults = this.#results.size > 0;
  }

  /** What became of it. */
  get state(): keyof GroupCounts {
    return this.#state;
  }

  /** The tool results that it shows, in order. */
  get results(): readonly CuttableText[] {
    return this.#state === "kept" ? [...this.#results.values()] : [];
  }

  /** Its messages in the prompt. */
  get messages(): readonly TrimmedMessage[] {
    if (this.#state === "kept") return this.turns.map((turn) => this.#shown(turn));
    const message = this.#summary;
    return message === undefined ? [] : [{ message, size: messageSize(message), cutChars: 0 }];
  }

  /** The size of its messages in the prompt, in code points. */
  get size(): number {
    return this.messages.reduce((sum, { size }) => sum + size, 0);
  }

  /** Takes it out of the prompt. Gives what was saved. */
  drop(): number {
    const { size } = this;
    this.#state = "dropped";
    this.#summary = undefined;
    return size;
  }

  /** Puts a summary in its place. Gives what was saved. */
  compressTo(summary: Message): number {
    const { size } = this;
    this.#state = "compressed";
    this.#summary = summary;
    return size - this.size;
  }

  #shown(turn: Message): TrimmedMessage {
    let cutChars = 0;
    const content = turn.content.map((block) => {
      const result = this.#results.get(block);
      if (result === undefined || result.cutChars === 0) return block;
      cutChars += result.cutChars;
      return { ...block, text: result.text };
    });
    const message = cutChars === 0 ? turn : { ...turn, content };
    return { message, size: messageSize(message), cutChars };
  }
}
