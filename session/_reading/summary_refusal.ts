import type { PromptMeasure } from "../../logic/_assembly/mod.ts";
import type { Tally } from "../../logic/_recovery/mod.ts";
import { estimatedTokens } from "../../logic/_stopping/mod.ts";
import type { Budget, SummaryFailure } from "../../types/mod.ts";

/** Why steps must not be summed up, before anything is paid: a call for the step itself must be left. */
export function summaryRefusal(
  { maxModelCalls, maxPromptChars, maxInputTokens = Infinity }: Budget,
  { chargedCalls, inputTokens }: Tally,
  { promptChars }: PromptMeasure,
): SummaryFailure | undefined {
  if (chargedCalls + 2 > maxModelCalls) return "too_few_calls";
  const tokens = estimatedTokens(inputTokens, promptChars) ?? 0;
  return promptChars > maxPromptChars || tokens > maxInputTokens ? "prompt_too_large" : undefined;
}
