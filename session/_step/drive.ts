import { type Next, type OpenCall, planRecovery } from "../../logic/_recovery/mod.ts";
import type { RunFinishedRecord } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { act } from "./act.ts";
import { askConcurrent, askReplayPolicy } from "./ask_executor.ts";
import { beginStep } from "./begin_step.ts";
import { editContext, sumUpAgain } from "./edit_context.ts";
import { endUnanswered, recordStep } from "./end_step.ts";
import { execute } from "./execute.ts";
import { failSummary } from "./fail_summary.ts";
import { interpretReply } from "./interpret_reply.ts";
import { interruptStep } from "./interrupt_step.ts";
import { recordUnknownAction, resolveAction } from "./resolve_action.ts";
import { callAgain } from "./step_call.ts";
import type { Suspension } from "./suspension.ts";

/**
 * Drives a run until it has finished or an abort has suspended it: the one loop of `run` and `resume`. What the log
 * says decides what comes next; a resumed run enters in the middle of a step, and a new one at its beginning.
 */
export async function drive(live: LiveRun, first: Next): Promise<RunFinishedRecord | Suspension> {
  let next = first;
  while (next.kind !== "return_result") {
    const isCut = live.interrupt.aborted && !isSettled(next);
    const suspension = await (isCut ? interruptStep(live) : take(live, next));
    if (suspension !== undefined) return suspension;
    next = planNext(live);
  }
  return next.finished;
}

/** Whether what comes next looks after an abort by itself, or is not changed by it as all that the step does has happened. */
function isSettled({ kind }: Next): boolean {
  return kind === "next_step" || kind === "edit" || kind === "record_step";
}

/** What the log says comes next. */
export function planNext(live: LiveRun): Next {
  return planRecovery(live.journal.position, {
    modelCall: live.request.modelReplayPolicy,
    openAction: ({ planned }) => askReplayPolicy(live, planned),
    concurrent: ({ planned }) => askConcurrent(live, planned),
    canResolve: live.options.resolveUnknownAction !== undefined,
  });
}

/** Does what comes next. */
function take(
  live: LiveRun,
  next: Exclude<Next, { kind: "return_result" }>,
): Promise<Suspension | undefined> | undefined {
  switch (next.kind) {
    case "next_step":
      return beginStep(live);
    case "replay_call":
    case "ask_again":
      return isSummary(next.step) ? sumUpAgain(live, next.step) : callAgain(live, next.step);
    case "record_unknown_call":
      return isSummary(next.step)
        ? failSummary(live, next.step, "unknown")
        : endUnanswered(live, "model_outcome_unknown");
    case "edit":
      return editContext(live);
    case "interpret":
      return interpretReply(live, next.step);
    case "next_action":
      return act(live, next.actions);
    case "replay_action":
      return execute(live, next.actions);
    case "resolve_action":
      return resolveAction(live, next.action);
    case "record_unknown_action":
      return recordUnknownAction(live, next.action);
    case "record_step":
      return recordStep(live, next.step);
  }
}

function isSummary({ intent }: OpenCall): boolean {
  return intent.purpose !== undefined;
}
