import type { PromptMeasure } from "../../logic/_assembly/mod.ts";
import { type ModelCallIntentRecord, RunLogCorruptError } from "../../types/mod.ts";

/** Refuses a recorded call whose prompt is not the one that the log gives. */
export function checkPrompt(
  runId: string,
  seq: number,
  intent: ModelCallIntentRecord,
  { promptDigest, promptChars, promptMessages }: PromptMeasure,
): void {
  if (
    intent.promptDigest !== promptDigest || intent.promptChars !== promptChars ||
    intent.promptMessages !== promptMessages
  ) {
    throw new RunLogCorruptError(
      runId,
      seq,
      "prompts",
      "the steps before it do not give the prompt that it names",
    );
  }
}
