import {
  type ActionIntentRecord,
  type ActionResultRecord,
  type Decision,
  FAILURE_REASONS,
  type LogRecord,
  type ModelCallIntentRecord,
  type RunFinishedRecord,
  type StepEndRecord,
  type StepOutcome,
} from "../../types/mod.ts";
import { actionId, callId } from "./ids.ts";
import {
  actedOutcome,
  endsStep,
  type OpenStep,
  plannedActions,
  type Position,
} from "./position.ts";

/** Why a record cannot stand at a position; `undefined` if it can. */
export function faultOf(position: Position, record: LogRecord): string | undefined {
  if (position.finished !== undefined) {
    return `a "${record.type}" record stands behind the finished record`;
  }
  if (record.type === "run_started") {
    if (position.started !== undefined) return "a second started record stands in it";
    return record.runId === position.runId ? undefined : `it belongs to run "${record.runId}"`;
  }
  if (position.started === undefined) {
    return `a "${record.type}" record stands before the started record`;
  }
  if (record.type === "run_finished") return finishFault(position, record);
  const { open } = position;
  if (record.stepIndex !== position.counters.steps) {
    return `a "${record.type}" record of step ${record.stepIndex} stands where step ${position.counters.steps} is`;
  }
  if (record.type === "model_call_intent") return callFault(position, record);
  if (open === undefined) return `a "${record.type}" record stands outside a step`;
  switch (record.type) {
    case "model_reply":
      if (open.reply !== undefined) return "a second reply stands in the step";
      if (record.callId !== open.intent.callId) {
        return `the reply answers another call, "${record.callId}"`;
      }
      return record.attempt === open.attempts
        ? undefined
        : `the reply answers attempt ${record.attempt}`;
    case "decision":
      if (open.reply === undefined) return "a decision stands before its reply";
      if (open.decision !== undefined) return "a second decision stands in the step";
      return protocolFault(position, record.decision);
    case "action_intent":
    case "action_result":
      return actionFault(position.runId, open, record);
    case "step":
      return stepFault(open, record);
  }
}

/** By the native protocol each action has its tool call; by the text protocol a step has one action. */
function protocolFault({ started }: Position, decision: Decision): string | undefined {
  if (decision.kind !== "action") return undefined;
  const { actions } = decision;
  if (started!.parameters["request.tool_protocol"] !== "native") {
    return actions.length === 1 ? undefined : "several actions are decided by the text protocol";
  }
  return actions.every(({ toolCall }) => toolCall !== undefined)
    ? undefined
    : "an action has no tool call, which the native protocol needs";
}

function callFault(
  { runId, started, open }: Position,
  record: ModelCallIntentRecord,
): string | undefined {
  if (record.callId !== callId(runId, record.stepIndex)) {
    return `a call has the id "${record.callId}"`;
  }
  if (record.attempt !== (open?.attempts ?? 0) + 1) return `a call is attempt ${record.attempt}`;
  if (open === undefined) return undefined;
  if (open.reply !== undefined) return "a call intent stands behind the reply";
  if (started!.parameters["request.model_replay_policy"] !== "replayable") {
    return "a call is replayed that must not be";
  }
  const samePrompt = record.promptDigest === open.intent.promptDigest &&
    record.promptChars === open.intent.promptChars &&
    record.promptMessages === open.intent.promptMessages;
  return samePrompt ? undefined : "a replayed call has another prompt";
}

function actionFault(
  runId: string,
  open: OpenStep,
  record: ActionIntentRecord | ActionResultRecord,
): string | undefined {
  const ordinal = open.settled.length;
  if (ordinal >= plannedActions(open).length) return "an action stands in it that was not decided";
  if (record.ordinal !== ordinal) {
    return `action ${record.ordinal} stands where action ${ordinal} is`;
  }
  if (record.actionId !== actionId(runId, open.stepIndex, ordinal)) {
    return `an action has the id "${record.actionId}"`;
  }
  if (record.resolvedBy !== undefined && open.openAction === undefined) {
    return "an action is resolved that was not in question";
  }
  const over = open.settled.some(endsStep);
  if (record.type === "action_intent") {
    if (over) return "an action is tried though the step had ended";
    const before = open.openAction;
    if (record.attempt !== (before?.attempt ?? 0) + 1) {
      return `an action is attempt ${record.attempt}`;
    }
    const may = before === undefined || before.replayPolicy === "replayable" ||
      record.resolvedBy !== undefined;
    return may ? undefined : "an action is replayed that must not be";
  }
  if (open.openAction === undefined && record.status !== "not_executed") {
    return `an action without an intent is "${record.status}"`;
  }
  return undefined;
}

function stepFault(open: OpenStep, record: StepEndRecord): string | undefined {
  if (open.settled.length < plannedActions(open).length) {
    return "the step ends though an action has no result";
  }
  if (!possibleOutcomes(open).includes(record.outcome)) {
    return `the step cannot be "${record.outcome}"`;
  }
  const explained = plannedActions(open).length === 0 &&
    FAILURE_REASONS[record.outcome] !== undefined;
  if (
    explained !== (record.observation !== undefined) ||
    explained !== (record.observationSynthetic !== undefined)
  ) {
    return `a step that is "${record.outcome}" must ${
      explained ? "" : "not "
    }have an observation of its own`;
  }
  return undefined;
}

function possibleOutcomes(open: OpenStep): readonly StepOutcome[] {
  if (open.reply === undefined) return ["model_call_failed", "model_outcome_unknown", "cancelled"];
  switch (open.decision?.decision.kind) {
    case undefined:
      return ["cancelled"];
    case "final_answer":
      return ["final_answer"];
    case "invalid":
      return ["invalid_decision"];
    case "action": {
      const own = actedOutcome(open.settled);
      const unfinished = open.settled.some(({ status }) =>
        status === "not_executed" || status === "unknown"
      );
      return unfinished ? [own, "cancelled"] : [own];
    }
  }
}

function finishFault({ open, counters }: Position, record: RunFinishedRecord): string | undefined {
  if (open !== undefined) return "the run finishes inside a step";
  if (record.stopReason !== record.stopConditions[0]) {
    return "the stop reason is not its first condition";
  }
  const same = record.counters.steps === counters.steps &&
    record.counters.modelCalls === counters.modelCalls &&
    record.counters.totalTokens === counters.totalTokens &&
    record.counters.largestPromptChars === counters.largestPromptChars;
  return same ? undefined : "its counters are not those of its records";
}
