import type { Message } from "../../../types/mod.ts";

/** Turns that stay or go together. */
export interface Group {
  readonly messages: readonly Message[];
  /** Whether the group is an assistant turn with tool calls and all their results. */
  readonly isProtocol: boolean;
}

/**
 * Cuts checked turns into groups: an assistant turn with tool calls and their results; a turn of the user and the assistant
 * turns without calls that follow it.
 */
export function conversationGroups(turns: readonly Message[]): readonly Group[] {
  const groups: { messages: Message[]; isProtocol: boolean }[] = [];
  for (const turn of turns) {
    const last = groups.at(-1);
    const isCall = turn.content.some((block) => block.type === "tool_call");
    const continues = last !== undefined && !isCall &&
      (turn.role === "tool" || (turn.role === "assistant" && !last.isProtocol));
    if (continues) last.messages.push(turn);
    else groups.push({ messages: [turn], isProtocol: isCall });
  }
  return groups;
}
