import type { ActionRecord } from "./action_result.ts";
import type { Decision } from "./decision.ts";
import type { ErrorInfo } from "./_errors/error_info.ts";
import type { ModelReply } from "./model_reply.ts";

/**
 * What became of a step.
 *
 * - `acted`: its actions were tried, whether or not they failed.
 * - `final_answer`: the model said that it is done.
 * - `invalid_decision`: its reply could not be understood.
 * - `model_call_failed`: no reply arrived.
 * - `model_outcome_unknown`: an interruption lost the reply.
 * - `environment_failed`: the environment broke during an action.
 * - `action_outcome_unknown`: an interruption left an action of which nobody knows whether it took effect.
 * - `cancelled`: the run was cancelled during it.
 */
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

/** Every {@link StepOutcome}. */
export const STEP_OUTCOMES = [
  "acted",
  "final_answer",
  "invalid_decision",
  "model_call_failed",
  "model_outcome_unknown",
  "environment_failed",
  "action_outcome_unknown",
  "cancelled",
] as const;

/** One step of a run, self-contained: the fold of its records. */
export interface StepRecord {
  /** The step's place in the run, from 0. */
  readonly stepIndex: number;
  /** What became of it. */
  readonly outcome: StepOutcome;
  /** The id of its model call, `<runId>/s4` for step 4; the same for every attempt. */
  readonly modelCallId: string;
  /** How many model-call intents the log holds for it, withdrawn ones included. */
  readonly modelAttempts: number;
  /** What the model answered. Absent: no reply arrived. */
  readonly reply?: ModelReply;
  /** What the reply meant. Absent: it was never interpreted. */
  readonly decision?: Decision;
  /** The assistant's text in history. Absent: the reply was never interpreted. */
  readonly historyText?: string;
  /** Its actions, in order; empty if it had none. */
  readonly actions: readonly ActionRecord[];
  /** What the model is shown of a step without an action. Absent: it had actions, or nothing is to be shown. */
  readonly observation?: string;
  /** Whether the library wrote {@link StepRecord.observation}. Absent exactly where that is. */
  readonly observationSynthetic?: boolean;
  /** The size of the prompt that was sent, in code points. */
  readonly promptChars: number;
  /** How many messages it had. */
  readonly promptMessages: number;
  /** The rolling digest over its messages. */
  readonly promptDigest: string;
  /** When its first model-call intent was made: ISO 8601, UTC. */
  readonly startedAt: string;
  /** Milliseconds that the process that recorded it spent on it, waiting for approvals left out. */
  readonly durationMs: number;
  /** What the failed call threw. Absent: nothing. */
  readonly error?: ErrorInfo;
}
