import {
  type ActionRecord,
  type Budget,
  FAILURE_REASONS,
  isSameJson,
  type StepRecord,
} from "../../types/mod.ts";

/** The rows that the recorded steps end with. */
export interface StepRows {
  readonly consecutiveFailures: number;
  /** How many steps in a row, the last one included, had equal actions. */
  readonly identicalActions: number;
  /** How many steps in a row, the last one included, had all their actions refused by the executor. */
  readonly rejectedSteps: number;
  /** The cycle that they are in. Absent: the run has no limit of cycles, or no step yet. */
  readonly cycle?: StepCycle;
}

/** How often the last steps did the same by turns. */
export interface StepCycle {
  /** How often in a row a cycle of two or of three steps was seen: the larger number; 1 if none came again. */
  readonly times: number;
  /** For each period, how many steps in a row had the actions of the one that so many steps before. */
  readonly matches: readonly number[];
  /** The last steps, as many as the longest period at most. */
  readonly recent: readonly StepRecord[];
}

/** The rows of a run without a step. */
export const NO_ROWS: StepRows = Object.freeze({
  consecutiveFailures: 0,
  identicalActions: 0,
  rejectedSteps: 0,
});

/** The rows after one more step. */
export function rowsAfter(
  { consecutiveFailures, identicalActions, rejectedSteps, cycle }: StepRows,
  last: StepRecord | undefined,
  step: StepRecord,
  { maxRepeatedCycle }: Partial<Budget>,
): StepRows {
  const rows = {
    consecutiveFailures: failuresAfter(consecutiveFailures, step),
    identicalActions: identicalAfter(identicalActions, last, step),
    rejectedSteps: isRejected(step) ? rejectedSteps + 1 : 0,
  };
  return maxRepeatedCycle === undefined ? rows : { ...rows, cycle: cycleAfter(cycle, step) };
}

function failuresAfter(before: number, step: StepRecord): number {
  if (FAILURE_REASONS[step.outcome] !== undefined) return before + 1;
  return step.outcome === "acted" && step.actions.some((action) => action.status === "executed")
    ? 0
    : before;
}

function identicalAfter(before: number, last: StepRecord | undefined, step: StepRecord): number {
  if (step.actions.length === 0) return 0;
  return hasSameActions(last, step) ? before + 1 : 1;
}

const PERIODS: readonly number[] = [2, 3];
const LONGEST_PERIOD = 3;

/** A step without actions is like none, so that it ends every cycle. */
function cycleAfter(before: StepCycle | undefined, step: StepRecord): StepCycle {
  const recent = before?.recent ?? [];
  const matches = PERIODS.map((period, i) =>
    hasSameActions(recent.at(-period), step) ? (before?.matches[i] ?? 0) + 1 : 0
  );
  const times = PERIODS.map((period, i) => 1 + Math.floor((matches[i] ?? 0) / period));
  return {
    times: times.reduce((most, time) => Math.max(most, time), 0),
    matches,
    recent: [...recent, step].slice(-LONGEST_PERIOD),
  };
}

function hasSameActions(before: StepRecord | undefined, { actions }: StepRecord): boolean {
  return actions.length > 0 && before?.actions.length === actions.length &&
    actions.every((action, i) => isSameAction(action, before.actions[i]));
}

function isSameAction(a: ActionRecord, b: ActionRecord | undefined): boolean {
  return b !== undefined && a.toolName === b.toolName && isSameJson(a.action, b.action);
}

/** Whether each action of a step was refused for what it is: an unknown tool, say, or wrong arguments. */
function isRejected({ outcome, actions }: StepRecord): boolean {
  return outcome === "acted" &&
    actions.every((action) => action.status === "not_executed" && action.denial === undefined);
}
