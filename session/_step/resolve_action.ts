import type { IntendedAction } from "../../logic/_recovery/mod.ts";
import { present } from "../../types/mod.ts";
import { assertKernel } from "../_live/kernel_fault.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitResolution } from "../_live/port_admission.ts";
import { act } from "./act.ts";
import { outcomeResult, recordResult, unknownResult } from "./action_result.ts";
import { askCompletes } from "./ask_executor.ts";
import { interruptStep, interruptUntried } from "./interrupt_step.ts";
import type { Suspension } from "./suspension.ts";

/** Asks the caller what became of an action that has an intent and no result. A throw propagates. */
export async function resolveAction(
  live: LiveRun,
  action: IntendedAction,
): Promise<Suspension | undefined> {
  const resolver = live.options.resolveUnknownAction;
  assertKernel(resolver !== undefined, "Cannot resolve an action as there is nobody to ask");
  const { planned: { action: what, toolName }, stepIndex, ordinal, actionId, intent } = action;
  const toolCompletes = askCompletes(live, action.planned);
  const { attempt, replayPolicy, at } = intent;
  const which = { runId: live.request.runId, stepIndex, ordinal, actionId, action: what, toolName };
  const settled = await live.interrupt.settle((signal) => {
    const question = { ...which, attempt, replayPolicy, at, signal };
    return resolver.resolve(Object.freeze(present(question)));
  });
  if (settled.kind === "threw") throw settled.error;
  if (settled.kind !== "returned") return await interruptStep(live);
  const answer = admitResolution(settled.value);
  const resolvedBy = resolver.id;
  switch (answer.kind) {
    case "happened":
      return recordResult(live, action, {
        ...outcomeResult(live, answer.outcome, toolCompletes, 0),
        resolvedBy,
      });
    case "did_not_happen":
      return live.interrupt.aborted
        ? await interruptUntried(live, action, resolvedBy)
        : await act(live, [action], resolvedBy);
    case "unknown":
      return recordUnknownAction(live, action, resolvedBy);
  }
}

/** Gathers the result of an action of which nobody knows what became. */
export function recordUnknownAction(
  live: LiveRun,
  action: IntendedAction,
  resolvedBy?: string,
): undefined {
  recordResult(live, action, unknownResult(live, resolvedBy));
}
