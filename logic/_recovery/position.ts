import type {
  ActionIntentRecord,
  ActionRecord,
  Decision,
  ModelCallIntentRecord,
  ModelCallWithdrawnRecord,
  ModelReply,
  PlannedAction,
  RunCounters,
  RunFinishedRecord,
  RunSettings,
  RunStartedRecord,
  StepOutcome,
  StepRecord,
} from "../../types/mod.ts";
import { NO_ROWS, type StepRows } from "./step_rows.ts";

/** What a run has come to. Every counter comes from here, live and on replay. */
export interface Tally extends StepRows {
  readonly counters: RunCounters;
  /** The model calls that count against their limit: all but those withdrawn as failed. */
  readonly chargedCalls: number;
  /** The durations of the recorded steps and of withdrawn calls, added up, in milliseconds. */
  readonly activeMs: number;
  /** Whether a reply did not tell how many tokens it took. */
  readonly hasUnknownUsage: boolean;
  /** What the replies of steps reported of their prompts. Absent: none reported any. */
  readonly inputTokens?: ReportedTokens;
  /** How many edits of the prompt there were. */
  readonly edits: number;
  /** How many summaries were begun before the call of the step that is open, or comes next. */
  readonly summaries: number;
  /** The size of the first prompt that was sent after the last summary failed; 0 until then. Absent: none failed. */
  readonly failedSummaryChars?: number;
  /** The last recorded step. */
  readonly last?: StepRecord;
}

/** What replies reported of the tokens of their prompts, those of 0 left out. */
export interface ReportedTokens {
  /** The tokens of the last one. */
  readonly last: number;
  /** The size of its prompt, in code points. */
  readonly lastChars: number;
  /** The tokens of all. */
  readonly sum: number;
  /** The size of all their prompts. */
  readonly sumChars: number;
}

/** Where a run stands: the fold of its records. */
export type Position = Unstarted | BetweenSteps | InStep | Finished;

interface Standing {
  readonly runId: string;
  readonly tally: Tally;
}

/** A run without a record. */
export interface Unstarted extends Standing {
  readonly kind: "unstarted";
}

interface Started extends Standing {
  readonly started: RunStartedRecord;
  /** What the started record's parameters say. */
  readonly settings: RunSettings;
}

/** A run with no step open: it has just started, or its last step has its end. */
export interface BetweenSteps extends Started {
  readonly kind: "between_steps";
  /** The editing of the next step's prompt. Absent: it has not begun. */
  readonly pass?: EditPass;
}

/** A run inside a step. */
export interface InStep extends Started {
  readonly kind: "in_step";
  readonly open: OpenStep;
  /** The editing of the step's prompt, which was too long for the model. Absent: it has not begun, or is over. */
  readonly pass?: EditPass;
}

/** The editing of a prompt: from its first record to the call of its step. */
export interface EditPass {
  /** The prompt's size before the first edit. Absent: there is none yet. */
  readonly beforeChars?: number;
  /** Whether steps were to be summed up and are not. */
  readonly hasFailedSummary: boolean;
  /** The call that sums up steps, until it is known what becomes of it. Absent: none is open. */
  readonly summary?: OpenCall;
}

/** A model call of which nothing is decided yet. */
export type OpenCall = CalledStep | WithdrawnStep | RepliedStep;

/** A run with its last record. */
export interface Finished extends Started {
  readonly kind: "finished";
  readonly finished: RunFinishedRecord;
  /** The step that it finished in. Absent: it finished between steps. */
  readonly open?: WithdrawnStep;
}

/** A step that has begun and has no end yet. */
export type OpenStep = CalledStep | WithdrawnStep | RepliedStep | DecidedStep;

interface ModelCall {
  readonly stepIndex: number;
  /** The last intent of its model call: every one before has the same prompt, unless the prompt was too long. */
  readonly intent: ModelCallIntentRecord;
  /** When its first intent was made. */
  readonly startedAt: string;
  readonly attempts: number;
  /** Whether its prompt was edited as it was too long for the model: that happens once. */
  readonly isShortened: boolean;
}

interface Unanswered extends ModelCall {
  /** Whether nobody knows what became of an attempt before the last one. */
  readonly hasLostAttempt: boolean;
}

/** A step whose model call has no reply: nobody knows what became of its last attempt. */
export interface CalledStep extends Unanswered {
  readonly phase: "called";
}

/** A step whose model call was given up at its last attempt: it is to be made again. */
export interface WithdrawnStep extends Unanswered {
  readonly phase: "withdrawn";
  readonly withdrawn: ModelCallWithdrawnRecord;
}

/** A step whose reply has no decision. */
export interface RepliedStep extends ModelCall {
  readonly phase: "replied";
  readonly reply: ModelReply;
}

/** A step with its decision. */
export interface DecidedStep extends ModelCall {
  readonly phase: "decided";
  readonly reply: ModelReply;
  readonly decision: Decision;
  readonly historyText: string;
  /** The planned actions in order, each with what is on record of it; none if the decision asks for none. */
  readonly actions: readonly OpenAction[];
}

/** A planned action of an open step, by how far it has come. */
export type OpenAction = WaitingAction | IntendedAction | SettledAction;

/** An action that has no result. */
export type UnsettledAction = WaitingAction | IntendedAction;

interface StepAction {
  readonly stepIndex: number;
  readonly ordinal: number;
  readonly actionId: string;
  readonly planned: PlannedAction;
  /** How many intents it has. */
  readonly attempts: number;
}

/** An action that has not happened: it has no intent, or each was withdrawn. */
export interface WaitingAction extends StepAction {
  readonly state: "waiting";
}

/** An action with an intent and no result: whether it happened is unknown. */
export interface IntendedAction extends StepAction {
  readonly state: "intended";
  /** Its last intent that was not withdrawn. */
  readonly intent: ActionIntentRecord;
  /** The entry that the intent stands in: those of actions that run at once stand in one. */
  readonly entry: number;
  /** What was known of it without that intent. */
  readonly before: UnsettledAction;
}

/** An action with its result. */
export interface SettledAction extends StepAction {
  readonly state: "settled";
  readonly result: ActionRecord;
}

/** The position of a run without a record. */
export function startPosition(runId: string): Position {
  return {
    kind: "unstarted",
    runId,
    tally: {
      counters: {
        steps: 0,
        modelCalls: 0,
        withdrawnCalls: 0,
        totalTokens: 0,
        largestPromptChars: 0,
      },
      chargedCalls: 0,
      activeMs: 0,
      hasUnknownUsage: false,
      edits: 0,
      summaries: 0,
      ...NO_ROWS,
    },
  };
}

/** Whether a step holds nothing but withdrawn calls: a run may finish in it, as if it had not begun. */
export function isOnlyWithdrawn(step: OpenStep): step is WithdrawnStep {
  return step.phase === "withdrawn" && !step.hasLostAttempt;
}

/** Whether a step's prompt is to be edited before its call is made again: it was too long for the model. */
export function isTooLong({ open, settings }: InStep): boolean {
  if (settings.contextPolicy === undefined) return false;
  if (open.phase !== "withdrawn" || open.isShortened) return false;
  const { reason, error } = open.withdrawn;
  return reason === "failed" && error?.kind === "context_length";
}

/** The actions of a step that have no result, in order. */
export function unsettledActions(step: OpenStep): readonly UnsettledAction[] {
  return step.phase === "decided" ? step.actions.filter(isUnsettled) : [];
}

/** The actions of a step that have not happened, in order. */
export function waitingActions(step: OpenStep): readonly WaitingAction[] {
  return step.phase === "decided" ? step.actions.filter(isWaiting) : [];
}

/** The actions of a step of which nobody knows whether they happened, in order. */
export function intendedActions(step: OpenStep): readonly IntendedAction[] {
  return step.phase === "decided" ? step.actions.filter(isIntended) : [];
}

/** The results of a step's actions, in order. */
export function actionResults(step: OpenStep): readonly ActionRecord[] {
  if (step.phase !== "decided") return [];
  return step.actions.filter(isSettled).map(({ result }) => result);
}

/** Whether a result ends its step: the actions after it are not tried. */
export function endsStep(result: ActionRecord): boolean {
  switch (result.status) {
    case "executed":
      return result.completed || (!result.failed && result.toolCompletes);
    case "not_executed":
      return false;
    case "environment_failed":
    case "unknown":
      return true;
  }
}

/** The outcome of a step all of whose actions have a result, unless it was cancelled. */
export function actedOutcome(results: readonly ActionRecord[]): StepOutcome {
  if (results.some((action) => action.status === "environment_failed")) return "environment_failed";
  if (results.some((action) => action.status === "unknown")) return "action_outcome_unknown";
  return "acted";
}

function isSettled(action: OpenAction): action is SettledAction {
  return action.state === "settled";
}

function isWaiting(action: OpenAction): action is WaitingAction {
  return action.state === "waiting";
}

function isIntended(action: OpenAction): action is IntendedAction {
  return action.state === "intended";
}

function isUnsettled(action: OpenAction): action is UnsettledAction {
  return action.state !== "settled";
}
