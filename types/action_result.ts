import type { ToolCall } from "./decision.ts";
import type { ErrorInfo } from "./_errors/error_info.ts";
import type { JsonValue } from "./json.ts";

/**
 * Whether an action or a model call whose outcome is unknown may be done again after a crash.
 *
 * - `never`: it is not; its outcome is settled by the caller's callback, or recorded as unknown.
 * - `replayable`: it is done again, under the same id.
 */
export type ReplayPolicy = (typeof REPLAY_POLICIES)[number];

/** Every {@link ReplayPolicy}. */
export const REPLAY_POLICIES = ["never", "replayable"] as const;

/**
 * What became of an action.
 *
 * - `executed`: it ran, whether or not it failed.
 * - `not_executed`: it was refused or skipped before anything happened.
 * - `environment_failed`: the environment broke.
 * - `unknown`: nobody knows whether it took effect.
 */
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** Every {@link ActionStatus}. */
export const ACTION_STATUSES = [
  "executed",
  "not_executed",
  "environment_failed",
  "unknown",
] as const;

/** What executing an action led to. */
export interface ActionOutcome {
  /** `executed`; `not_executed`: refused before anything happened; `environment_failed`: the environment is broken. */
  readonly status: Exclude<ActionStatus, "unknown">;
  /** Whether the action itself failed: an exception in its code, a non-zero exit. It is shown to the model. */
  readonly failed: boolean;
  /** What the model is shown. */
  readonly observation: string;
  /** Whether the executor wrote the observation itself, rather than the environment. */
  readonly observationSynthetic: boolean;
  /** Whether the environment says that the goal is reached. An environment without such a signal says `false`. */
  readonly completed: boolean;
  /** How many code points were cut off the observation; 0 if none. */
  readonly truncatedChars: number;
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
