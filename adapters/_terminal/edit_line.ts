import type { ContextEditedEvent, ContextEditFailedEvent } from "../../ports/mod.ts";
import { counted, excerpt, harmlessLine, type Style } from "../../types/mod.ts";

/** The line that an edit of a prompt leaves behind, or a summary that failed. */
export function editLine(
  event: ContextEditedEvent | ContextEditFailedEvent,
): { readonly text: string; readonly style?: Style } {
  const place = `step ${event.stepIndex}`;
  if (event.type === "context_edited") {
    const { stage, steps: [from, to], beforeChars, afterChars } = event;
    const sizes = `${beforeChars} → ${counted(afterChars, "character")}`;
    return { text: `${place}: prompt edited, ${stage} in steps ${from} to ${to}: ${sizes}` };
  }
  const { reason, error } = event;
  const thrown = error === undefined ? "" : `: ${harmlessLine(excerpt(error.message, 120))}`;
  return { text: `${place}: steps not summed up, ${reason}${thrown}`, style: "odd" };
}
