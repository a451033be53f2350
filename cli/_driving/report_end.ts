import { COMPLETIONS, harmless, type RunResult } from "../../types/mod.ts";
import { failureWords } from "../_report/failure_words.ts";
import { FAILURES } from "../_report/standing.ts";
import type { Screen } from "../_screen.ts";
import { shown } from "../_terminal_text.ts";

/** What is told of a run that has finished. */
export type RunEnd = Pick<RunResult, "runId" | "stopReason" | "answer" | "steps" | "logHead">;

/**
 * Tells how a run ended: its answer alone on standard output, all else on standard error, what it failed of last and
 * whole. Gives the exit code.
 */
export function reportEnd(end: RunEnd, screen: Screen): number {
  const { runId, stopReason, answer, steps, logHead } = end;
  if (answer !== undefined) screen.print(harmless(shown(answer)));
  screen.complain(`${runId}: ${stopReason}, head ${logHead}`);
  const last = steps.at(-1);
  if (last !== undefined && FAILURES.includes(stopReason)) {
    screen.complain(`failed: ${harmless(failureWords(last))}`);
  }
  return COMPLETIONS.includes(stopReason) ? 0 : 1;
}
