import type { StopDecision } from "../../logic/_stopping/mod.ts";
import { present } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";

/** Writes the end of a run. */
export async function finishRun(live: LiveRun, stop: StopDecision): Promise<undefined> {
  const { journal, clock, events, assembly } = live;
  const { last, counters } = journal.position.tally;
  const { tier, conditions: stopConditions } = stop;
  const [stopReason] = stopConditions;
  const decision = last?.outcome === "final_answer" ? last.decision : undefined;
  journal.record(present(
    {
      type: "run_finished",
      stopReason,
      stopConditions,
      answer: decision?.kind === "final_answer" ? decision.answer : undefined,
      counters,
      abandoned: [...live.abandoned],
      promptChars: tier === "B" ? assembly.measure().promptChars : undefined,
      at: clock.iso(),
    } as const,
  ));
  await journal.flush();
  events.emit({ type: "run_finished", stopReason, stopConditions, counters });
}
