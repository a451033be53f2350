import {
  actionResults,
  type IntendedAction,
  intendedActions,
  type OpenStep,
  type Position,
  type WithdrawnStep,
} from "../../logic/_recovery/mod.ts";
import {
  type ActionRecord,
  type Decision,
  type ErrorInfo,
  type ModelReply,
  present,
  type ReplayPolicy,
} from "../../types/mod.ts";
import { type Awaited, awaitedAt } from "./awaited_at.ts";

/** A step that has begun and has no end in the log: what a crash or a suspension left. */
export interface OpenStepRecord {
  /** The step's place in the run, from 0. */
  readonly stepIndex: number;
  /** What the log waits for: a model's reply, its interpretation, an action's result, the next action, the step's end. */
  readonly awaits: "reply" | "decision" | "action_result" | "next_action" | "step_end";
  /** The id of its model call. */
  readonly modelCallId: string;
  /** How many model-call intents the log holds for it, withdrawn ones included. */
  readonly modelAttempts: number;
  /** The size of the prompt that was sent, in code points. */
  readonly promptChars: number;
  /** How many messages it had. */
  readonly promptMessages: number;
  /** The rolling digest over its messages. */
  readonly promptDigest: string;
  /** When its first model-call intent was made: ISO 8601, UTC. */
  readonly startedAt: string;
  /** Why its model call was given up at its last attempt: it is to be made again. Absent: it was not. */
  readonly withdrawn?: {
    /** Whether the run was suspended before a reply came, or the call failed. */
    readonly reason: "suspended" | "failed";
    /** What the call threw. Absent: nothing of itself. */
    readonly error?: ErrorInfo;
    /** When: ISO 8601, UTC. */
    readonly at: string;
  };
  /** What the model answered. Absent: no reply is recorded. */
  readonly reply?: ModelReply;
  /** What the reply meant. Absent: no decision is recorded. */
  readonly decision?: Decision;
  /** The assistant's text in history. Absent: no decision is recorded. */
  readonly historyText?: string;
  /** The actions that have a result. */
  readonly actions: readonly ActionRecord[];
  /** The first of {@link OpenStepRecord.openActions}. Absent: there is none. */
  readonly openAction?: OpenActionRecord;
  /** The actions that have an intent and no result, in order: several where they ran at once. */
  readonly openActions: readonly OpenActionRecord[];
}

/** An action that has an intent and no result: nobody knows whether it happened. */
export interface OpenActionRecord {
  /** Its id. */
  readonly actionId: string;
  /** Its place in the decision, from 0. */
  readonly ordinal: number;
  /** How many intents the log holds for it. */
  readonly attempts: number;
  /** What the executor said of replaying it. */
  readonly replayPolicy: ReplayPolicy;
  /** When its last intent was made: ISO 8601, UTC. */
  readonly at: string;
}

/** A call that sums up steps and of which it is not known what becomes: what a crash or a suspension left. */
export interface OpenSummaryRecord {
  /** The step whose prompt is being edited, from 0. */
  readonly stepIndex: number;
  /** The call's id. */
  readonly callId: string;
  /** How many intents the log holds for it, withdrawn ones included. */
  readonly attempts: number;
  /** What the log waits for: the reply, or what follows from it. */
  readonly awaits: "reply" | "edit";
  /** Whether its last attempt was given up: it is made again. */
  readonly isWithdrawn: boolean;
}

/** The summary that is open where a log ends; nothing if none is. */
export function openSummaryOf(position: Position): OpenSummaryRecord | undefined {
  const summary = "pass" in position ? position.pass?.summary : undefined;
  if (summary === undefined) return undefined;
  const { stepIndex, attempts, phase, intent: { callId } } = summary;
  const awaits = phase === "replied" ? "edit" : "reply";
  return Object.freeze({
    stepIndex,
    callId,
    attempts,
    awaits,
    isWithdrawn: phase === "withdrawn",
  });
}

/** The step that has no end where a log ends; nothing if none is open. */
export function openStepOf(position: Position): OpenStepRecord | undefined {
  if (position.kind === "in_step") return openStepRecord(position.open, awaitedAt(position).kind);
  if (position.kind !== "finished" || position.open === undefined) return undefined;
  return openStepRecord(position.open, "reply");
}

function openStepRecord(open: OpenStep, awaits: Awaited["kind"]): OpenStepRecord {
  const { intent, startedAt } = open;
  const decided = open.phase === "decided" ? open : undefined;
  const replied = open.phase === "replied" ? open : decided;
  const openActions = intendedActions(open).map(openActionRecord);
  return Object.freeze(present({
    stepIndex: open.stepIndex,
    awaits,
    modelCallId: intent.callId,
    modelAttempts: open.attempts,
    promptChars: intent.promptChars,
    promptMessages: intent.promptMessages,
    promptDigest: intent.promptDigest,
    startedAt,
    withdrawn: open.phase === "withdrawn" ? withdrawalOf(open) : undefined,
    reply: replied?.reply,
    decision: decided?.decision,
    historyText: decided?.historyText,
    actions: Object.freeze(actionResults(open)),
    openAction: openActions[0],
    openActions: Object.freeze(openActions),
  }));
}

function withdrawalOf({ withdrawn }: WithdrawnStep): OpenStepRecord["withdrawn"] {
  const { reason, error, at } = withdrawn;
  return Object.freeze(present({ reason, error, at }));
}

function openActionRecord({ intent, attempts }: IntendedAction): OpenActionRecord {
  const { actionId, ordinal, replayPolicy, at } = intent;
  return Object.freeze({ actionId, ordinal, attempts, replayPolicy, at });
}
