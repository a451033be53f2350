import { unsettledActions } from "../../logic/_recovery/mod.ts";
import { assertKernel } from "../_live/kernel_fault.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { recordResult, skippedResult, unknownResult } from "./action_result.ts";
import { endStep } from "./end_step.ts";

/** An abort left the run to be resumed: what is known is written, and the log says how it goes on. */
export interface Suspension {
  /** Tells it from the finished record. */
  readonly type: "suspended";
  /** The reason of the abort. */
  readonly cause: unknown;
}

/** The suspension of a run that was aborted. */
export function suspensionOf({ interrupt }: LiveRun): Suspension {
  return { type: "suspended", cause: interrupt.reason };
}

/**
 * What an abort makes of a step that is not settled. Suspended: what is known is written and the step stays open.
 * Finished: its actions get their results, unknown where there is an intent, and it ends as cancelled.
 */
export async function interruptStep(live: LiveRun): Promise<Suspension | undefined> {
  const { journal, options } = live;
  if (options.onAbort === "suspend") {
    await journal.flush();
    return suspensionOf(live);
  }
  const { position } = journal;
  assertKernel(position.kind === "in_step", "Cannot interrupt a step as none is open");
  for (const action of unsettledActions(position.open)) {
    const result = action.state === "intended" ? unknownResult(live) : skippedResult(live);
    recordResult(live, action, result);
  }
  return await endStep(live, "cancelled");
}
