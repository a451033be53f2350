import type {
  ActionIntentRecord,
  ActionRecord,
  DecisionRecord,
  ModelCallIntentRecord,
  ModelReply,
  PlannedAction,
  RunCounters,
  RunFinishedRecord,
  RunStartedRecord,
  StepOutcome,
  StepRecord,
} from "../../types/mod.ts";

/** A step that has begun and has no end yet. */
export interface OpenStep {
  readonly stepIndex: number;
  /** The first intent of its model call; every later one repeats its prompt. */
  readonly intent: ModelCallIntentRecord;
  readonly attempts: number;
  readonly reply?: ModelReply;
  readonly decision?: DecisionRecord;
  /** The actions that have a result. */
  readonly settled: readonly ActionRecord[];
  /** The last intent of the action that has no result yet. */
  readonly openAction?: ActionIntentRecord;
}

/** Where a run stands: the fold of its records. Every counter comes from here, live and on replay. */
export interface Position {
  readonly runId: string;
  readonly started?: RunStartedRecord;
  readonly open?: OpenStep;
  /** The last recorded step. */
  readonly last?: StepRecord;
  readonly finished?: RunFinishedRecord;
  readonly counters: RunCounters;
  /** The durations of the recorded steps, added up, in milliseconds. */
  readonly activeMs: number;
  readonly consecutiveFailures: number;
  /** How many steps in a row, the last one included, had equal actions. */
  readonly identicalActions: number;
}

/** The position of a run without a record. */
export function startPosition(runId: string): Position {
  return {
    runId,
    counters: { steps: 0, modelCalls: 0, totalTokens: 0, largestPromptChars: 0 },
    activeMs: 0,
    consecutiveFailures: 0,
    identicalActions: 0,
  };
}

/** The planned actions of an open step; none before its decision. */
export function plannedActions(open: OpenStep): readonly PlannedAction[] {
  const decision = open.decision?.decision;
  return decision?.kind === "action" ? decision.actions : [];
}

/** Whether a result ends its step: the actions behind it are not tried. */
export function endsStep(result: ActionRecord): boolean {
  return result.status === "environment_failed" || result.status === "unknown" ||
    result.completed ||
    (result.status === "executed" && !result.failed && result.toolCompletes);
}

/** Whether an open step has nothing left to execute. */
export function actionsAreOver(open: OpenStep): boolean {
  return open.settled.length === plannedActions(open).length || open.settled.some(endsStep);
}

/** The outcome of a step all of whose actions have a result, unless it was cancelled. */
export function actedOutcome(settled: readonly ActionRecord[]): StepOutcome {
  if (settled.some((action) => action.status === "environment_failed")) return "environment_failed";
  if (settled.some((action) => action.status === "unknown")) return "action_outcome_unknown";
  return "acted";
}
