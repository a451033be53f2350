import {
  type ContextEdit,
  emptyMeasure,
  measureWith,
  type PlannedEdit,
  type WantedSummary,
} from "../../logic/_assembly/mod.ts";
import {
  type CalledStep,
  isOnlyWithdrawn,
  type RepliedStep,
  type WithdrawnStep,
} from "../../logic/_recovery/mod.ts";
import { summaryCallId } from "../../types/mod.ts";
import { assertKernel } from "../_live/kernel_fault.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { dueEdit, summaryOutcome } from "../_reading/due_edit.ts";
import { summaryRefusal } from "../_reading/summary_refusal.ts";
import { callModel } from "./call_model.ts";
import { failSummary } from "./fail_summary.ts";
import { callEdited, endWithoutCall, positionBeforeCall } from "./step_call.ts";
import { stopBeforeCall } from "./stop_before_call.ts";
import { isSuspending, suspend, type Suspension } from "./suspension.ts";

/** Goes on with the editing of a prompt: one edit, one summary or, where nothing is left to do, the call that waits. */
export async function editContext(
  live: LiveRun,
  planned: PlannedEdit | undefined = dueEdit(positionBeforeCall(live), live.assembly),
): Promise<Suspension | undefined> {
  if (planned === undefined) return await callEdited(live);
  if (planned.kind === "edit") return recordEdit(live, planned.edit);
  const summary = positionBeforeCall(live).pass?.summary;
  return summary?.phase === "replied"
    ? settleSummary(live, planned.wanted, summary)
    : await sumUp(live, planned.wanted, undefined);
}

/** Asks again for a summary whose call has no reply. */
export async function sumUpAgain(
  live: LiveRun,
  call: CalledStep | WithdrawnStep,
): Promise<Suspension | undefined> {
  const planned = dueEdit(positionBeforeCall(live), live.assembly);
  assertKernel(planned?.kind === "summary", "Cannot sum up steps again as none are to be");
  return await sumUp(live, planned.wanted, call);
}

/** Calls the model for a summary, unless the run ends first, or is to keep its last call for the step. */
async function sumUp(
  live: LiveRun,
  { messages }: WantedSummary,
  before: CalledStep | WithdrawnStep | undefined,
): Promise<Suspension | undefined> {
  if (isSuspending(live)) return await suspend(live);
  const { journal, request: { runId, budget }, steps } = live;
  const stop = stopBeforeCall(live);
  if (stop !== undefined && stop.tier !== "B") {
    return before === undefined || isOnlyWithdrawn(before)
      ? await endWithoutCall(live, stop)
      : failSummary(live, before, "unknown");
  }
  const { tally } = journal.position;
  const measure = measureWith(emptyMeasure(0), messages);
  const refusal = summaryRefusal(budget, tally, measure);
  if (refusal !== undefined) {
    const isLost = before !== undefined && !isOnlyWithdrawn(before);
    return failSummary(live, before, isLost ? "unknown" : refusal);
  }
  const stepIndex = steps.length;
  const callId = before?.intent.callId ?? summaryCallId(runId, stepIndex, tally.summaries);
  const attempt = (before?.attempts ?? 0) + 1;
  const which = { stepIndex, callId, attempt, purpose: "summary" } as const;
  return await callModel(live, which, { measure, messages });
}

/** Gathers what becomes of a summary that arrived. */
function settleSummary(live: LiveRun, wanted: WantedSummary, call: RepliedStep): undefined {
  const outcome = summaryOutcome(call.reply, wanted, live.assembly);
  return "edit" in outcome
    ? recordEdit(live, outcome.edit)
    : failSummary(live, call, outcome.reason);
}

/** Gathers an edit, and makes it. */
function recordEdit({ journal, steps, assembly, events }: LiveRun, edit: ContextEdit): undefined {
  const which = { stepIndex: steps.length, edit: journal.position.tally.edits };
  journal.record({ type: "context_edit", ...which, ...edit });
  assertKernel(assembly.edit(edit), "Cannot make an edit as it does not fit the prompt");
  const { replacements: _, ...told } = edit;
  events.emit({ type: "context_edited", ...which, ...told });
}
