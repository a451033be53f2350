import {
  type ContentBlock,
  InvalidRequestError,
  type Message,
  type Role,
} from "../../../types/mod.ts";

/** Which blocks a turn of each role may hold. */
const BLOCKS_OF_ROLE: Readonly<Record<Role, readonly ContentBlock["type"][]>> = {
  system: ["text"],
  user: ["text"],
  assistant: ["text", "tool_call"],
  tool: ["tool_result"],
};

/** Refuses turns with blocks that their role does not have. */
export function checkTurns(turns: readonly Message[], place: string): void {
  for (const [t, { role, content }] of turns.entries()) {
    for (const [b, block] of content.entries()) {
      const at = `${place}[${t}].content[${b}]`;
      const types = BLOCKS_OF_ROLE[role];
      if (!types.includes(block.type)) {
        throw new InvalidRequestError(
          `${at}.type`,
          block.type,
          `a turn of role "${role}" holds blocks of type "${types.join('", "')}" only`,
        );
      }
    }
  }
}
