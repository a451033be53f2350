import { InvalidRequestError, type Message } from "../../../types/mod.ts";

/**
 * Refuses turns in which a call is not answered by the `tool` turns that follow it at once, a result has no call, or an
 * id is used again; `owners` are the ids of the sections read so far.
 */
export function checkCalls(
  sectionId: string,
  turns: readonly Message[],
  owners: Map<string, string>,
): void {
  const open = new Set<string>();
  turns.forEach((turn, i) => {
    const place = `sections.${sectionId}.body[${i}]`;
    if (turn.role !== "tool") refuseOpenCalls(open, place);
    for (const block of turn.content) {
      if (block.type === "text") continue;
      const { type, toolCallId } = block;
      if (type === "tool_result") {
        if (open.delete(toolCallId)) continue;
        throw new InvalidRequestError(
          place,
          toolCallId,
          "a tool result must answer, once, a call of the assistant turn before it",
        );
      }
      const owner = owners.get(toolCallId);
      if (owner !== undefined) {
        throw new InvalidRequestError(
          place,
          toolCallId,
          `a tool call id may be used once in a build, and section "${owner}" has it too`,
        );
      }
      owners.set(toolCallId, sectionId);
      open.add(toolCallId);
    }
  });
  refuseOpenCalls(open, `sections.${sectionId}.body`);
}

function refuseOpenCalls(open: ReadonlySet<string>, place: string): void {
  for (const toolCallId of open) {
    throw new InvalidRequestError(
      place,
      toolCallId,
      "a tool call must be answered by the tool turns that follow it at once",
    );
  }
}
