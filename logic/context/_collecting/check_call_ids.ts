import { historyStepOf, InvalidRequestError } from "../../../types/mod.ts";
import type { ContextSection } from "../section.ts";

/**
 * Refuses tool call ids of the form that runs give themselves, but for those of the recorded steps that the conversations
 * hold: the run that goes on from these numbers its own from there.
 */
export function checkCallIds(sections: readonly ContextSection[], historySteps: number): void {
  for (const { id, body } of sections) {
    if (typeof body === "string") continue;
    for (const [t, { content }] of body.entries()) {
      for (const [b, block] of content.entries()) {
        const step = block.type === "text" ? undefined : historyStepOf(block.toolCallId);
        if (block.type === "text" || step === undefined || step < historySteps) continue;
        throw new InvalidRequestError(
          `sections.${id}.body[${t}].content[${b}].toolCallId`,
          block.toolCallId,
          "a run gives ids of this form to its own calls: rename it here and in its result, or say by " +
            "spec.historySteps how many recorded steps the conversation holds",
        );
      }
    }
  }
}
