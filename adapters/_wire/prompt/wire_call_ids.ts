import { type ContentBlock, digest } from "../../../types/mod.ts";
import type { SentMessage } from "./message_blocks.ts";

/** How many characters an id has that is made from ours: the most that every server takes. */
const MADE_CHARS = 9;

/**
 * The messages with the ids that tool calls have on the wire: the one that the provider gave, where it did and no call
 * before has it; else nine letters and digits made from ours. A call's id depends on what stands before it alone, so it
 * is the same in every later prompt. Results have the ids of their calls.
 *
 * @param givenIds The ids that the provider gave to the calls of a message, in order; empty where that is not known.
 */
export function withWireIds(
  messages: readonly SentMessage[],
  givenIds: (message: SentMessage) => readonly (string | undefined)[],
): readonly SentMessage[] {
  const taken = new Set<string>();
  const current = new Map<string, string>(); // ours, of the last call that has it, to the wire's

  const take = (id: string): string => {
    taken.add(id);
    return id;
  };

  const made = (ours: string): string => {
    for (let n = 0;; n++) {
      const id = digest(n === 0 ? ours : `${ours}#${n}`).slice(-MADE_CHARS);
      if (!taken.has(id)) return take(id);
    }
  };

  return messages.map((message) => {
    const given = givenIds(message);
    let call = 0;
    const blocks = message.blocks.map((block): ContentBlock => {
      if (block.type === "text") return block;
      const { toolCallId: ours } = block;
      if (block.type === "tool_result") {
        const known = current.get(ours) ?? made(ours);
        current.set(ours, known);
        return { ...block, toolCallId: known };
      }
      const theirs = given[call++] ?? "";
      const id = theirs === "" || taken.has(theirs) ? made(ours) : take(theirs);
      current.set(ours, id);
      return { ...block, toolCallId: id };
    });
    return { ...message, blocks };
  });
}
