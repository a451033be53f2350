import type { Decision, ToolCall } from "./decision.ts";
import type { JsonValue } from "./json.ts";
import type { ModelReply } from "./model_reply.ts";

/** Whether an action or a model call whose outcome is unknown may be done again after a crash. */
export type ReplayPolicy = (typeof REPLAY_POLICIES)[number];

/** Every {@link ReplayPolicy}. */
export const REPLAY_POLICIES: readonly ["never", "replayable"] = Object.freeze(
  ["never", "replayable"] as const,
);

/** What became of an action. */
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** Every {@link ActionStatus}. */
export const ACTION_STATUSES: readonly [
  "executed",
  "not_executed",
  "environment_failed",
  "unknown",
] = Object.freeze(["executed", "not_executed", "environment_failed", "unknown"] as const);

/** What became of a step. */
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

/** Every {@link StepOutcome}. */
export const STEP_OUTCOMES: readonly [
  "acted",
  "final_answer",
  "invalid_decision",
  "model_call_failed",
  "model_outcome_unknown",
  "environment_failed",
  "action_outcome_unknown",
  "cancelled",
] = Object.freeze(
  [
    "acted",
    "final_answer",
    "invalid_decision",
    "model_call_failed",
    "model_outcome_unknown",
    "environment_failed",
    "action_outcome_unknown",
    "cancelled",
  ] as const,
);

/** An error as a record keeps it. */
export interface ErrorInfo {
  /** The error's name, such as `TypeError`. */
  readonly name: string;
  /** Its message. */
  readonly message: string;
}

/** Who refused an action, and why. */
export interface Denial {
  /** The `id` of the approval callback. */
  readonly by: string;
  /** The reason that it gave; it became the observation. Absent: none was given. */
  readonly reason?: string;
}

/** What one action led to: the fields that an action result record holds. */
export interface ActionResult {
  /** What became of it. */
  readonly status: ActionStatus;
  /** Whether the action itself reported an error: it ran, and failed. */
  readonly failed: boolean;
  /** What the model is shown of it. */
  readonly observation: string;
  /** Whether the library or the executor wrote the observation, rather than the environment. */
  readonly observationSynthetic: boolean;
  /** Whether the environment says that the goal is reached. */
  readonly completed: boolean;
  /** Whether the action's tool was marked as completing the run when it was asked. */
  readonly toolCompletes: boolean;
  /** How many code points the executor cut off the observation. */
  readonly truncatedChars: number;
  /** Milliseconds from its start to its outcome; 0 if it never started. */
  readonly durationMs: number;
  /** What the executor threw. Absent: nothing. */
  readonly error?: ErrorInfo;
  /** Who refused it. Absent: nobody did. */
  readonly denial?: Denial;
  /** The `id` of the callback that resolved its unknown outcome. Absent: none was asked. */
  readonly resolvedBy?: string;
}

/** One action of a recorded step. */
export interface ActionRecord extends ActionResult {
  /** The action's id, `<runId>/s4_a0` for action 0 of step 4; the same for every attempt. */
  readonly actionId: string;
  /** The action, as the decision gave it. */
  readonly action: JsonValue;
  /** The tool that it names. Absent: it names none. */
  readonly toolName?: string;
  /** The tool call that it came from. Absent: it came from none. */
  readonly toolCall?: ToolCall;
  /** How many intents the log holds for it; 0 if it was never about to start. */
  readonly attempts: number;
}

/** One step of a run, self-contained: the fold of its records. */
export interface StepRecord {
  /** The step's place in the run, from 0. */
  readonly stepIndex: number;
  /** What became of it. */
  readonly outcome: StepOutcome;
  /** The id of its model call, `<runId>/s4` for step 4; the same for every attempt. */
  readonly modelCallId: string;
  /** How many model-call intents the log holds for it. */
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
