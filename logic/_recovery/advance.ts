import {
  type ActionRecord,
  type ActionResultRecord,
  deepFreeze,
  FAILURE_REASONS,
  type LogRecord,
  present,
  RunLogCorruptError,
  type StepEndRecord,
  type StepRecord,
} from "../../types/mod.ts";
import { faultOf } from "./grammar.ts";
import { isSameJson } from "./is_same_json.ts";
import { type OpenStep, plannedActions, type Position } from "./position.ts";

/**
 * The position after one more record. This is the grammar of a log:
 * `started step* open? finished?`, a step being `call+ ( S | reply S | reply decision (intent* result)* S )`.
 *
 * @param seq The entry that the record stands in, for the error.
 * @throws {RunLogCorruptError} If the record cannot stand here.
 */
export function advance(position: Position, record: LogRecord, seq: number): Position {
  const fault = faultOf(position, record);
  if (fault !== undefined) throw new RunLogCorruptError(position.runId, seq, "grammar", fault);
  return next(position, record);
}

function next(position: Position, record: LogRecord): Position {
  const open = position.open!;
  switch (record.type) {
    case "run_started":
      return { ...position, started: record };
    case "run_finished":
      return { ...position, finished: record };
    case "model_call_intent":
      return {
        ...position,
        open: open === undefined
          ? { stepIndex: record.stepIndex, intent: record, attempts: 1, settled: [] }
          : { ...open, attempts: record.attempt },
        counters: {
          ...position.counters,
          modelCalls: position.counters.modelCalls + 1,
          largestPromptChars: Math.max(position.counters.largestPromptChars, record.promptChars),
        },
      };
    case "model_reply": {
      const tokens = (record.reply.usage?.inputTokens ?? 0) +
        (record.reply.usage?.outputTokens ?? 0);
      return {
        ...position,
        open: { ...open, reply: record.reply },
        counters: { ...position.counters, totalTokens: position.counters.totalTokens + tokens },
      };
    }
    case "decision":
      return { ...position, open: { ...open, decision: record } };
    case "action_intent":
      return { ...position, open: { ...open, openAction: record } };
    case "action_result": {
      const { openAction: _, ...rest } = open;
      return {
        ...position,
        open: { ...rest, settled: [...open.settled, actionRecord(open, record)] },
      };
    }
    case "step":
      return closeStep(position, open, record);
  }
}

function closeStep(position: Position, open: OpenStep, record: StepEndRecord): Position {
  const step = stepRecord(open, record);
  const { open: _, ...rest } = position;
  return {
    ...rest,
    last: step,
    counters: { ...position.counters, steps: position.counters.steps + 1 },
    activeMs: position.activeMs + step.durationMs,
    consecutiveFailures: failuresAfter(position.consecutiveFailures, step),
    identicalActions: identicalAfter(position, step),
  };
}

function failuresAfter(before: number, step: StepRecord): number {
  if (FAILURE_REASONS[step.outcome] !== undefined) return before + 1;
  return step.outcome === "acted" && step.actions.some((action) => action.status === "executed")
    ? 0
    : before;
}

function identicalAfter({ last, identicalActions }: Position, { actions }: StepRecord): number {
  if (actions.length === 0) return 0;
  const same = last?.actions.length === actions.length &&
    actions.every((action, i) => isSameAction(action, last.actions[i]!));
  return same ? identicalActions + 1 : 1;
}

function isSameAction(a: ActionRecord, b: ActionRecord): boolean {
  return a.toolName === b.toolName && isSameJson(a.action, b.action);
}

function actionRecord(open: OpenStep, result: ActionResultRecord): ActionRecord {
  const planned = plannedActions(open)[result.ordinal]!;
  return deepFreeze(present({
    actionId: result.actionId,
    action: planned.action,
    toolName: planned.toolName,
    toolCall: planned.toolCall,
    status: result.status,
    failed: result.failed,
    observation: result.observation,
    observationSynthetic: result.observationSynthetic,
    completed: result.completed,
    toolCompletes: result.toolCompletes,
    truncatedChars: result.truncatedChars,
    attempts: open.openAction?.attempt ?? 0,
    durationMs: result.durationMs,
    error: result.error,
    denial: result.denial,
    resolvedBy: result.resolvedBy ?? open.openAction?.resolvedBy,
  }));
}

function stepRecord(open: OpenStep, end: StepEndRecord): StepRecord {
  return deepFreeze(present({
    stepIndex: end.stepIndex,
    outcome: end.outcome,
    modelCallId: open.intent.callId,
    modelAttempts: open.attempts,
    reply: open.reply,
    decision: open.decision?.decision,
    historyText: open.decision?.historyText,
    actions: open.settled,
    observation: end.observation,
    observationSynthetic: end.observationSynthetic,
    promptChars: open.intent.promptChars,
    promptMessages: open.intent.promptMessages,
    promptDigest: open.intent.promptDigest,
    startedAt: open.intent.at,
    durationMs: end.durationMs,
    error: end.error,
  }));
}
