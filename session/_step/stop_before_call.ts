import { type StopDecision, stopDecision } from "../../logic/_stopping/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";

/** Whether the run ends before its next model call, and why. */
export function stopBeforeCall(live: LiveRun): StopDecision | undefined {
  const { journal, request, interrupt, assembly } = live;
  return stopDecision({
    budget: request.budget,
    onUnknownUsage: request.onUnknownUsage,
    tally: journal.position.tally,
    aborted: interrupt.aborted,
    promptChars: assembly.measure().promptChars,
  });
}
