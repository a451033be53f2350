import { actionId, plannedActions } from "../../logic/_recovery/mod.ts";
import {
  type ActionOutcome,
  type ActionResult,
  errorInfo,
  type PlannedAction,
  present,
  type ReplayPolicy,
} from "../../types/mod.ts";
import { interruptStep, recordResult, syntheticResult } from "./close_step.ts";
import {
  admitApproval,
  admitCompletes,
  admitOutcome,
  admitReplayPolicy,
  admitResolution,
} from "../_port_admission.ts";
import { type LiveRun, openStep } from "../_live/live_run.ts";
import type { ApprovalAnswer, ApproveAction } from "../run_options.ts";

/** What the executor says of an action before it is tried. */
interface Marks {
  readonly replayPolicy: ReplayPolicy;
  readonly toolCompletes: boolean;
}

/** The next action of the open step. */
function nextAction(
  live: LiveRun,
): PlannedAction & { readonly ordinal: number; readonly id: string } {
  const open = openStep(live);
  const ordinal = open.settled.length;
  const id = actionId(live.request.runId, open.stepIndex, ordinal);
  return { ...plannedActions(open)[ordinal]!, ordinal, id };
}

/** Asks the executor about the next action. A throw propagates. */
export function askMarks(live: LiveRun): Marks {
  const { executor } = live.request;
  const { action, toolName } = nextAction(live);
  const replayPolicy = executor.replayPolicy === undefined
    ? "never"
    : admitReplayPolicy(executor.replayPolicy(action));
  const toolCompletes = executor.completes !== undefined && toolName !== undefined &&
    admitCompletes(executor.completes(toolName));
  return { replayPolicy, toolCompletes };
}

/** Takes the next action from its approval to its result. */
export async function act(live: LiveRun, resolvedBy?: string): Promise<void> {
  const approver = live.options.approveAction;
  if (approver === undefined) return await execute(live, resolvedBy);
  const approval = await approve(live, approver);
  if (approval === "interrupted") return await interruptStep(live, "not_executed", resolvedBy);
  if (approval.allow) return await execute(live, resolvedBy);
  const denial = present({ by: approver.id, reason: approval.reason });
  const observation = approval.reason ?? live.agent.syntheticObservations.rejected;
  recordResult(live, syntheticResult("not_executed", observation, present({ denial, resolvedBy })));
}

/** Asks for approval, and leaves the wait out of the step's time. A throw propagates. */
async function approve(
  live: LiveRun,
  approver: ApproveAction,
): Promise<ApprovalAnswer | "interrupted"> {
  const { options, interrupt, timer, request } = live;
  await live.journal.flush();
  const { stepIndex } = openStep(live);
  const { action, toolName, id } = nextAction(live);
  const settled = await timer.pause(() =>
    interrupt.settle((signal) => {
      const question = { runId: request.runId, stepIndex, actionId: id, action, toolName, signal };
      return approver.decide(Object.freeze(present(question)));
    })
  );
  if (settled.kind === "threw") throw settled.error;
  if (settled.kind !== "returned") return "interrupted";
  const approval = admitApproval(settled.value);
  const heard = !interrupt.aborted || (!approval.allow && options.onAbort !== "suspend");
  return heard ? approval : "interrupted";
}

/** Writes the intent, executes the action, and gathers its result. */
export async function execute(live: LiveRun, resolvedBy?: string): Promise<void> {
  const { journal, clock, interrupt, events } = live;
  const { stepIndex, openAction } = openStep(live);
  const { action, toolName, ordinal, id } = nextAction(live);
  const attempt = (openAction?.attempt ?? 0) + 1;
  const { replayPolicy, toolCompletes } = askMarks(live);
  const which = { stepIndex, ordinal, actionId: id, attempt };
  const intent = {
    type: "action_intent",
    ...which,
    replayPolicy,
    resolvedBy,
    at: clock.iso(),
  } as const;
  journal.record(present(intent));
  await journal.flush();
  const startedMs = clock.ms();
  if (!interrupt.aborted) {
    events.emit(present({ type: "action_started", ...which, action, toolName } as const));
  }
  const settled = await interrupt.settle((signal) => {
    const call = present({ action, toolName, actionId: id, attempt, signal });
    return live.request.executor.execute(Object.freeze(call));
  });
  const durationMs = clock.ms() - startedMs;
  switch (settled.kind) {
    case "returned":
      return recordResult(live, executedResult(live, settled.value, toolCompletes, durationMs));
    case "threw":
      return recordResult(
        live,
        brokenEnvironment(live, settled.error, toolCompletes, durationMs),
      );
    case "abandoned":
      live.abandoned.push(id);
      return await interruptStep(live, "unknown");
    case "interrupted":
      return await interruptStep(live, "unknown");
    case "not_started":
      return await interruptStep(live, "not_executed");
  }
}

/** Asks the caller what became of an action that has an intent and no result. A throw propagates. */
export async function resolveAction(live: LiveRun): Promise<void> {
  const resolver = live.options.resolveUnknownAction!;
  const { toolCompletes } = askMarks(live);
  const { stepIndex, openAction } = openStep(live);
  const { action, toolName, ordinal, id } = nextAction(live);
  const { attempt, replayPolicy, at } = openAction!;
  const which = { runId: live.request.runId, stepIndex, ordinal, actionId: id, action, toolName };
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
      return recordResult(live, {
        ...outcomeResult(live, answer.outcome, toolCompletes, 0),
        resolvedBy,
      });
    case "did_not_happen":
      return live.interrupt.aborted
        ? await interruptStep(live, "not_executed", resolvedBy)
        : await act(live, resolvedBy);
    case "unknown":
      return recordUnknownAction(live, resolvedBy);
  }
}

/** Gathers the result of an action of which nobody knows what became. */
export function recordUnknownAction(live: LiveRun, resolvedBy?: string): void {
  const { actionOutcomeUnknown } = live.agent.syntheticObservations;
  recordResult(live, syntheticResult("unknown", actionOutcomeUnknown, present({ resolvedBy })));
}

function executedResult(
  live: LiveRun,
  value: unknown,
  toolCompletes: boolean,
  durationMs: number,
): ActionResult {
  try {
    return outcomeResult(live, admitOutcome(value), toolCompletes, durationMs);
  } catch (error) {
    return brokenEnvironment(live, error, toolCompletes, durationMs);
  }
}

function outcomeResult(
  live: LiveRun,
  outcome: ActionOutcome,
  toolCompletes: boolean,
  durationMs: number,
): ActionResult {
  const { rejected, environmentFailed } = live.agent.syntheticObservations;
  const result = { ...outcome, toolCompletes, durationMs };
  if (outcome.status === "executed" || outcome.observation !== "") return result;
  const observation = outcome.status === "not_executed" ? rejected : environmentFailed;
  return { ...result, observation, observationSynthetic: true };
}

function brokenEnvironment(
  live: LiveRun,
  error: unknown,
  toolCompletes: boolean,
  durationMs: number,
): ActionResult {
  return {
    status: "environment_failed",
    failed: false,
    observation: live.agent.syntheticObservations.environmentFailed,
    observationSynthetic: true,
    completed: false,
    toolCompletes,
    truncatedChars: 0,
    durationMs,
    error: errorInfo(error),
  };
}
