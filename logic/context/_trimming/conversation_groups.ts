import type { Message } from "../../../types/mod.ts";

/**
 * Cuts turns into groups that stay or go together: a turn of the user and all that follows it up to the next one, so
 * that no result is left without its call, and no answer without its question. What stands before the first turn of
 * the user is the first group.
 */
export function conversationGroups(turns: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  for (const turn of turns) {
    const last = groups.at(-1);
    if (last === undefined || turn.role === "user") groups.push([turn]);
    else last.push(turn);
  }
  return groups;
}
