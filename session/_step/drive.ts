import { planRecovery } from "../../logic/_recovery/mod.ts";
import { type StopDecision, stopDecision } from "../../logic/_stopping/mod.ts";
import { present, type RecoveryPlan } from "../../types/mod.ts";
import { act, askMarks, execute, recordUnknownAction, resolveAction } from "./act.ts";
import { endUnanswered, interruptStep, recordStep } from "./close_step.ts";
import { callModel, interpretReply } from "./decide.ts";
import type { LiveRun } from "../_live/live_run.ts";

/** What is done where the log says so. */
const STAGES: Readonly<
  Record<Exclude<RecoveryPlan, "return_result">, (live: LiveRun) => void | Promise<void>>
> = {
  next_step: beginStep,
  replay_call: replayCall,
  record_unknown_call: (live) => endUnanswered(live, "model_outcome_unknown"),
  interpret: interpretReply,
  next_action: (live) => act(live),
  record_step: recordStep,
  replay_action: (live) => execute(live),
  resolve_action: resolveAction,
  record_unknown_action: (live) => recordUnknownAction(live),
};

/**
 * Drives a run until it has finished or an abort has suspended it: the one loop of `run` and `resume`. What the log
 * says decides what comes next; a resumed run enters in the middle of a step, and a new one at its beginning.
 */
export async function drive(live: LiveRun, first: RecoveryPlan): Promise<void> {
  for (let plan = first; plan !== "return_result"; plan = planNext(live)) {
    if (live.interrupt.aborted && !isSettled(plan)) await interruptStep(live);
    else await STAGES[plan](live);
    if (live.suspended) return;
  }
}

/** Whether an abort changes nothing about a plan: no step is open, or all that it does has happened. */
function isSettled(plan: RecoveryPlan): boolean {
  return plan === "next_step" || plan === "record_step";
}

/** What the log says comes next. */
export function planNext(live: LiveRun): RecoveryPlan {
  const { position } = live.journal;
  return planRecovery(position, {
    modelCall: live.request.modelReplayPolicy,
    openAction: position.open?.openAction === undefined ? "never" : askMarks(live).replayPolicy,
    canResolve: live.options.resolveUnknownAction !== undefined,
  });
}

/** C of the last step, A, assembly, B; then the model is called, unless one of them ends the run. */
async function beginStep(live: LiveRun): Promise<void> {
  const stop = stopBeforeCall(live);
  if (live.interrupt.aborted && live.options.onAbort === "suspend" && stop?.tier !== "C") {
    live.suspended = true;
    return;
  }
  if (stop !== undefined && stop.tier !== "B") return await finish(live, stop);
  live.timer.restart();
  emitReceipt(live, stop !== undefined);
  if (stop !== undefined) return await finish(live, stop);
  live.events.emit({ type: "step_started", stepIndex: live.steps.length });
  await callModel(live);
}

/** A replay is checked against the budget like any call. */
async function replayCall(live: LiveRun): Promise<void> {
  if (stopBeforeCall(live) !== undefined) return await endUnanswered(live, "model_outcome_unknown");
  emitReceipt(live, false);
  await callModel(live);
}

function stopBeforeCall(live: LiveRun): StopDecision | undefined {
  const { journal, request, interrupt, assembly } = live;
  const { promptChars } = assembly.measure();
  return stopDecision({
    budget: request.budget,
    tally: journal.position,
    aborted: interrupt.aborted,
    promptChars,
  });
}

function emitReceipt(live: LiveRun, overflows: boolean): void {
  const { assembly, events, request, steps } = live;
  if (!events.listening) return;
  const measure = assembly.measure();
  const limit = request.budget.maxPromptChars;
  events.emit({
    type: "prompt_assembled",
    stepIndex: steps.length,
    ...assembly.receipt(),
    ...measure,
    limit,
    verdict: overflows ? "context_overflow" : "fits",
    excess: Math.max(0, measure.promptChars - limit),
  });
}

async function finish(live: LiveRun, stop: StopDecision): Promise<void> {
  const { journal, clock, events, assembly } = live;
  const { last, counters } = journal.position;
  const { tier, conditions: stopConditions } = stop;
  const [stopReason] = stopConditions;
  const promptChars = tier === "B" ? assembly.measure().promptChars : undefined;
  const decision = last?.outcome === "final_answer" ? last.decision : undefined;
  const answer = decision?.kind === "final_answer" ? decision.answer : undefined;
  journal.record(present(
    {
      type: "run_finished",
      stopReason,
      stopConditions,
      answer,
      counters,
      abandoned: [...live.abandoned],
      promptChars,
      at: clock.iso(),
    } as const,
  ));
  await journal.flush();
  events.emit({ type: "run_finished", stopReason, stopConditions, counters });
}
