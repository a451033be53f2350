import { actionWords } from "./step_details.ts";
import type { OpenStepRecord, RunLog, RunLogSummary } from "../../session/mod.ts";
import {
  counted,
  harmlessLine,
  type StepRecord,
  type StopReason,
  totalTokens,
} from "../../types/mod.ts";

/** What each stop reason says. */
const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  cancelled: "its signal was aborted",
  time_budget_exhausted: "its steps took maxActiveMs",
  step_budget_exhausted: "it took maxSteps steps",
  model_call_budget_exhausted: "it made maxModelCalls model calls",
  token_budget_exhausted:
    "its replies reported maxTotalTokens tokens, or one did not tell how many it took",
  context_overflow:
    "its next prompt was larger than maxPromptChars, or than maxInputTokens by estimate",
  tool_completed: "a tool that completes the run was executed",
  environment_completed: "the environment said that the goal is reached",
  final_answer: "the model gave its answer",
  repeated_action:
    "steps in a row had the same actions, or did the same by turns: maxIdenticalActions, maxRepeatedCycle",
  invalid_decisions:
    "maxConsecutiveFailures steps in a row failed, the last with an invalid decision",
  rejected_actions: "maxRejectedActions steps in a row had nothing but refused actions",
  model_call_failed: "maxConsecutiveFailures steps in a row failed, the last in its model call",
  environment_failed: "maxConsecutiveFailures steps in a row failed, the last in its environment",
};

/** The stop reasons of a run in which too much failed. */
export const FAILURES: readonly StopReason[] = [
  "invalid_decisions",
  "rejected_actions",
  "model_call_failed",
  "environment_failed",
];

/** Whether a step's reply told how many tokens it took: where none did, a sum of 0 says nothing. */
export function reportsTokens({ reply }: StepRecord): boolean {
  return reply !== undefined && totalTokens(reply) > 0;
}

/** Why a run stopped, or where it stands. */
export function standing(log: RunLogSummary): string {
  if (log.finished === undefined) return `not finished: ${openWords(log)}`;
  const { stopReason, stopConditions } = log.finished;
  const others = stopConditions.slice(1);
  const also = others.length === 0 ? "" : `; also ${others.join(", ")}`;
  return `${stopReason}: ${STOP_WORDS[stopReason]}${also}`;
}

const AWAITED_WORDS: Readonly<Record<OpenStepRecord["awaits"], string>> = {
  reply: "reply",
  decision: "decision",
  action_result: "action result",
  next_action: "next action",
  step_end: "step end",
};

/** Where an unfinished run stands, in a few words. */
export function openPlace({ counters, open, openSummary, settings }: RunLogSummary): string {
  const recorded = `${counted(counters.steps, "step")} recorded`;
  if (openSummary !== undefined) {
    const { stepIndex, awaits, isWithdrawn } = openSummary;
    const next = isWithdrawn
      ? "the call for its summary is made again"
      : `it waits for ${awaits === "reply" ? "its summary" : "its edit"}`;
    return `${recorded}; the prompt of step ${stepIndex} is being shortened, and ${next}`;
  }
  if (open === undefined) return `${recorded}; none is open, so the next step begins`;
  const isOpen = `${recorded}; step ${open.stepIndex} is open`;
  const { withdrawn, openAction, awaits } = open;
  if (withdrawn !== undefined) return `${isOpen}, and ${withdrawalWords(withdrawn)}`;
  if (openAction !== undefined) return isOpen;
  const approver = awaits === "next_action" ? settings.approveAction : undefined;
  const asked = approver === undefined ? "" : `, once "${harmlessLine(approver)}" has approved it`;
  return `${isOpen} and waits for its ${AWAITED_WORDS[awaits]}${asked}`;
}

/** What a resume of an unfinished run will find. */
export function openWords(log: RunLogSummary): string {
  const { withdrawn, openActions = [] } = log.open ?? {};
  if (withdrawn?.error !== undefined) {
    const { name, message } = withdrawn.error;
    return `${openPlace(log)}: ${name}: ${message}`;
  }
  if (openActions.length === 0) return `${openPlace(log)}${nextActionWords(log)}`;
  return `${openPlace(log)}: ${openActions.map(openActionWords).join("; ")}`;
}

/** The action that comes next. */
function nextActionWords({ open }: RunLogSummary): string {
  if (open?.awaits !== "next_action" || open.decision?.kind !== "action") return "";
  const settled = new Set(open.actions.map(({ actionId }) => actionId));
  const next = open.decision.actions.find((_, ordinal) =>
    !settled.has(`${open.modelCallId}_a${ordinal}`)
  );
  return next === undefined ? "" : `: ${actionWords(next)}`;
}

function openActionWords(
  { actionId, replayPolicy }: OpenStepRecord["openActions"][number],
): string {
  const fate = replayPolicy === "replayable"
    ? "It may be repeated if it still says so"
    : "It may not be repeated blindly: unless it can be resolved, it is recorded as unknown, and the model is told";
  return `action ${actionId} was about to run, and nobody knows whether it did. ${fate}`;
}

function withdrawalWords(
  { reason, error }: NonNullable<OpenStepRecord["withdrawn"]>,
): string {
  const kind = error?.kind === undefined ? "" : ` (${error.kind})`;
  const why = reason === "failed" ? `failed${kind}` : "was given up";
  return `its model call ${why} and is made again`;
}

/** What is or was in doubt in a run: each a line; empty if nothing. */
export function doubts(log: RunLog): readonly string[] {
  return [...log.steps.flatMap(stepDoubts), ...endDoubts(log)];
}

/** What is or was in doubt in a step. */
export function stepDoubts(
  { outcome, modelCallId, modelAttempts, actions }: StepRecord,
): readonly string[] {
  const found: string[] = [];
  if (outcome === "model_outcome_unknown") found.push(`${modelCallId}: the reply is lost`);
  if (modelAttempts > 1) found.push(`${modelCallId}: called ${modelAttempts} times`);
  for (const action of actions) {
    const { actionId, status, attempts, resolvedBy } = action;
    const isUnknown = status === "unknown" ||
      (status === "environment_failed" && action.effect === "unknown");
    if (isUnknown) found.push(`${actionId}: nobody knows whether it took effect`);
    if (attempts > 1) found.push(`${actionId}: tried ${attempts} times`);
    if (resolvedBy !== undefined) found.push(`${actionId}: resolved by ${resolvedBy}`);
  }
  return found;
}

/** What is in doubt at the end of a log. */
export function endDoubts({ open, openSummary, finished }: RunLogSummary): readonly string[] {
  const found: string[] = [];
  if (openSummary?.awaits === "reply" && !openSummary.isWithdrawn) {
    found.push(`${openSummary.callId}: no summary yet, or it is lost`);
  }
  if (open?.awaits === "reply" && open.withdrawn === undefined) {
    found.push(`${open.modelCallId}: no reply yet, or it is lost`);
  }
  for (const { actionId } of open?.openActions ?? []) {
    found.push(`${actionId}: no result yet, or it is lost`);
  }
  for (const id of finished?.abandoned ?? []) found.push(`${id}: given up, and may have gone on`);
  return found;
}
