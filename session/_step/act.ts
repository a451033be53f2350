import type { UnsettledAction } from "../../logic/_recovery/mod.ts";
import { type ActionResult, present } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { admitApproval } from "../_live/port_admission.ts";
import type { ApprovalAnswer, ApproveAction } from "../run_options.ts";
import { deniedResult, hiddenResult, recordResult } from "./action_result.ts";
import { execute } from "./execute.ts";
import { interruptUntried } from "./interrupt_step.ts";
import type { Suspension } from "./suspension.ts";

/**
 * Takes actions from their approval to their results: one, or several that run at once. All are asked for before any is
 * executed, and what was refused is known then.
 */
export async function act(
  live: LiveRun,
  actions: readonly UnsettledAction[],
  resolvedBy?: string,
): Promise<Suspension | undefined> {
  const approver = live.options.approveAction;
  const allowed: UnsettledAction[] = [];
  for (const action of actions) {
    const hidden = hiddenResult(live, action.planned);
    if (hidden !== undefined) {
      recordResult(live, action, hidden);
      continue;
    }
    const denied = approver && await refuse(live, approver, action, resolvedBy);
    if (denied === "interrupted") return await interruptUntried(live, action, resolvedBy);
    if (denied === undefined) allowed.push(action);
    else recordResult(live, action, denied);
  }
  return allowed.length === 0 ? undefined : await execute(live, allowed, resolvedBy);
}

/** The result of an action that was denied; nothing where it was approved. */
async function refuse(
  live: LiveRun,
  approver: ApproveAction,
  action: UnsettledAction,
  resolvedBy: string | undefined,
): Promise<ActionResult | "interrupted" | undefined> {
  const approval = await approve(live, approver, action);
  if (approval === "interrupted") return approval;
  if (approval.allow) return undefined;
  const denial = present({ by: approver.id, reason: approval.reason });
  return deniedResult(live, denial, resolvedBy);
}

/** Asks for approval, and leaves the wait out of the step's time. A throw propagates. */
async function approve(
  live: LiveRun,
  approver: ApproveAction,
  { stepIndex, ordinal, actionId, planned }: UnsettledAction,
): Promise<ApprovalAnswer | "interrupted"> {
  const { interrupt, timer, request, journal, events, clock } = live;
  const { action, toolName } = planned;
  await journal.flush();
  const asked = present({ stepIndex, ordinal, actionId, toolName, by: approver.id });
  const startedMs = clock.ms();
  if (!interrupt.aborted) events.emit({ type: "approval_requested", ...asked, action });
  const settled = await timer.pause(() =>
    interrupt.settle((signal) => {
      const question = { runId: request.runId, stepIndex, actionId, action, toolName, signal };
      return approver.decide(Object.freeze(present(question)));
    })
  );
  if (settled.kind === "threw") throw settled.error;
  if (settled.kind !== "returned") return "interrupted";
  const approval = admitApproval(settled.value);
  if (interrupt.aborted && approval.allow) return "interrupted";
  const durationMs = clock.ms() - startedMs;
  events.emit({ type: "approval_answered", ...asked, ...approval, durationMs });
  return approval;
}
