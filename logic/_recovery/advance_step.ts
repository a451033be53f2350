import {
  actionId,
  type ActionRecord,
  copyJson,
  type Decision,
  type DecisionRecord,
  deepFreeze,
  FAILURE_REASONS,
  isSameJson,
  type PlannedAction,
  present,
  type StepEndRecord,
  type StepOutcome,
  type StepRecord,
  type ToolProtocol,
} from "../../types/mod.ts";
import {
  actedOutcome,
  actionResults,
  type InStep,
  isOnlyWithdrawn,
  isTooLong,
  type OpenStep,
  type Position,
  unsettledActions,
  type WaitingAction,
} from "./position.ts";
import { rowsAfter } from "./step_rows.ts";

/** The position after a decision, or why it cannot stand there. */
export function afterDecision(position: InStep, record: DecisionRecord): Position | string {
  const { open, settings, runId } = position;
  const { stepIndex, decision, historyText } = record;
  if (open.phase === "called" || open.phase === "withdrawn") {
    return "a decision stands before its reply";
  }
  if (open.phase === "decided") return "a second decision stands in the step";
  const planned = decision.kind === "action" ? decision.actions : [];
  const fault = decision.kind === "action"
    ? protocolFault(planned, settings.toolProtocol)
    : undefined;
  if (fault !== undefined) return fault;
  const actions = planned.map((action, ordinal): WaitingAction => ({
    state: "waiting",
    stepIndex,
    ordinal,
    actionId: actionId(runId, stepIndex, ordinal),
    planned: action,
    attempts: 0,
  }));
  return { ...position, open: { ...open, phase: "decided", decision, historyText, actions } };
}

/** By the native protocol each action has its tool call; by the text protocol a step has one action. */
function protocolFault(
  actions: readonly PlannedAction[],
  protocol: ToolProtocol,
): string | undefined {
  if (protocol === "text") {
    return actions.length === 1 ? undefined : "several actions are decided by the text protocol";
  }
  return actions.every(({ toolCall }) => toolCall !== undefined)
    ? undefined
    : "an action has no tool call, which the native protocol needs";
}

/** The position after the end of a step, or why it cannot end so. */
export function afterStepEnd(position: InStep, end: StepEndRecord): Position | string {
  const { runId, started, settings, tally, open } = position;
  const fault = stepEndFault(position, end);
  if (fault !== undefined) return fault;
  const last = stepRecord(open, end);
  return {
    kind: "between_steps",
    runId,
    started,
    settings,
    tally: {
      ...tally,
      counters: { ...tally.counters, steps: tally.counters.steps + 1 },
      activeMs: tally.activeMs + last.durationMs,
      summaries: 0,
      ...rowsAfter(tally, tally.last, last, settings.budget),
      last,
    },
  };
}

function stepEndFault(position: InStep, end: StepEndRecord): string | undefined {
  const { open, pass } = position;
  if (pass?.summary !== undefined) return "the step ends though steps are being summed up";
  if (unsettledActions(open).length > 0) return "the step ends though an action has no result";
  if (!possibleOutcomes(position).includes(end.outcome)) {
    return `the step cannot be "${end.outcome}"`;
  }
  if (
    open.phase === "withdrawn" && end.outcome === "model_call_failed" &&
    !isSameJson(copyJson(end.error ?? null), copyJson(open.withdrawn.error ?? null))
  ) {
    return "the step ends with another error than its call was withdrawn with";
  }
  const hasActions = open.phase === "decided" && open.actions.length > 0;
  const explained = !hasActions && FAILURE_REASONS[end.outcome] !== undefined;
  if (
    explained !== (end.observation !== undefined) ||
    explained !== (end.observationSynthetic !== undefined)
  ) {
    return `a step that is "${end.outcome}" must ${
      explained ? "" : "not "
    }have an observation of its own`;
  }
  return undefined;
}

function possibleOutcomes(position: InStep): readonly StepOutcome[] {
  const { open, pass } = position;
  switch (open.phase) {
    case "called":
      return ["model_call_failed", "model_outcome_unknown", "cancelled"];
    case "withdrawn":
      return [
        // Its prompt was too long, and nothing could be done about it.
        ...(isTooLong(position) && pass?.beforeChars === undefined
          ? ["model_call_failed" as const]
          : []),
        ...(isOnlyWithdrawn(open) ? [] : ["model_outcome_unknown", "cancelled"] as const),
      ];
    case "replied":
      return ["cancelled"];
    case "decided":
      return decidedOutcomes(open.decision, actionResults(open));
  }
}

function decidedOutcomes(
  { kind }: Decision,
  results: readonly ActionRecord[],
): readonly StepOutcome[] {
  switch (kind) {
    case "final_answer":
      return ["final_answer"];
    case "invalid":
      return ["invalid_decision"];
    case "action": {
      const own = actedOutcome(results);
      const unfinished = results.some(({ status }) =>
        status === "not_executed" || status === "unknown"
      );
      return unfinished ? [own, "cancelled"] : [own];
    }
  }
}

function stepRecord(open: OpenStep, end: StepEndRecord): StepRecord {
  const { intent, startedAt, attempts } = open;
  const decided = open.phase === "decided" ? open : undefined;
  const replied = open.phase === "replied" ? open : decided;
  return deepFreeze(present({
    stepIndex: end.stepIndex,
    outcome: end.outcome,
    modelCallId: intent.callId,
    modelAttempts: attempts,
    reply: replied?.reply,
    decision: decided?.decision,
    historyText: decided?.historyText,
    actions: actionResults(open),
    observation: end.observation,
    observationSynthetic: end.observationSynthetic,
    promptChars: intent.promptChars,
    promptMessages: intent.promptMessages,
    promptDigest: intent.promptDigest,
    startedAt,
    durationMs: end.durationMs,
    error: end.error,
  }));
}
