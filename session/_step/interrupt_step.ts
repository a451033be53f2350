import {
  intendedActions,
  isOnlyWithdrawn,
  type UnsettledAction,
  waitingActions,
} from "../../logic/_recovery/mod.ts";
import { assertKernel } from "../_live/kernel_fault.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { recordResult, skippedResult, unknownResult } from "./action_result.ts";
import { endStep } from "./end_step.ts";
import { failSummary } from "./fail_summary.ts";
import { finishRun } from "./finish_run.ts";
import { stopBeforeCall } from "./stop_before_call.ts";
import { isSuspending, suspend, type Suspension } from "./suspension.ts";

/**
 * What an abort makes of a step that is not settled. Suspended: what is known is written and the step stays open.
 * Finished: a summary that is not there has failed; its actions get their results, unknown where there is an intent, and it ends as cancelled; but a step of
 * withdrawn calls only is none.
 */
export async function interruptStep(live: LiveRun): Promise<Suspension | undefined> {
  if (isSuspending(live)) return await suspend(live);
  const { position } = live.journal;
  const summary = "pass" in position ? position.pass?.summary : undefined;
  if (summary !== undefined) return failSummary(live, summary, "cancelled");
  assertKernel(position.kind === "in_step", "Cannot interrupt a step as none is open");
  if (isOnlyWithdrawn(position.open)) {
    const stop = stopBeforeCall(live);
    assertKernel(stop !== undefined, "Cannot finish a run as nothing has ended it");
    return await finishRun(live, stop);
  }
  for (const action of intendedActions(position.open)) {
    recordResult(live, action, unknownResult(live));
  }
  for (const action of waitingActions(position.open)) {
    recordResult(live, action, skippedResult(live));
  }
  return await endStep(live, "cancelled");
}

/**
 * What an abort makes of an action with an intent that somebody said has not happened. Suspended: it is asked about
 * again; what it was told then would be of another time. Finished: it was not executed.
 */
export async function interruptUntried(
  live: LiveRun,
  action: UnsettledAction,
  resolvedBy: string | undefined,
): Promise<Suspension | undefined> {
  if (action.state === "intended" && !isSuspending(live)) {
    recordResult(live, action, skippedResult(live, resolvedBy));
  }
  return await interruptStep(live);
}
