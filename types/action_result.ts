import type { ToolCall } from "./decision.ts";
import type { ErrorInfo } from "./_errors/error_info.ts";
import type { JsonValue } from "./json.ts";

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

/** What the model is shown of an action, whatever became of it. */
export interface ActionObservation {
  /** What the model is shown. */
  readonly observation: string;
  /** Whether the library or the executor wrote the observation itself, rather than the environment. */
  readonly observationSynthetic: boolean;
  /** How many code points were cut off the observation; 0 if none. */
  readonly truncatedChars: number;
}

/** The action ran. Only then can it have failed by itself, or have reached the goal. */
export type ExecutedOutcome =
  & ActionObservation
  & {
    /** Tells that it ran. */
    readonly status: "executed";
    /** Whether the environment says that the goal is reached. An environment without such a signal says `false`. */
    readonly completed: boolean;
  }
  & (
    | {
      /** Whether the action itself failed: an exception in its code, a non-zero exit. It is shown to the model. */
      readonly failed: true;
      /** What it failed with, for who reads the log. Absent: nothing was thrown. */
      readonly error?: ErrorInfo;
    }
    | {
      /** Whether the action itself failed: it did not. */
      readonly failed: false;
      /** Never there: only what failed has an error. */
      readonly error?: never;
    }
  );

/** The environment is broken. */
export interface EnvironmentFailedOutcome extends UnexecutedOutcome<"environment_failed"> {
  /** What broke it, for who reads the log. The observation is then the environment's own words. Absent: nothing said. */
  readonly error?: ErrorInfo;
  /** Tells that nobody knows whether the action took effect, since it was given up. Absent: that was not the trouble. */
  readonly effect?: "unknown";
}

/**
 * The action did not run, or nobody knows: `not_executed`, it was refused before anything happened;
 * `environment_failed`, the environment is broken; `unknown`, it may have happened.
 */
export interface UnexecutedOutcome<Status extends Exclude<ActionStatus, "executed">>
  extends ActionObservation {
  /** Tells what became of it. */
  readonly status: Status;
  /** Never there: only what ran can have failed by itself. */
  readonly failed?: never;
  /** Never there: only what ran can have reached the goal. */
  readonly completed?: never;
}

/** What executing an action led to. Its `status` tells what it has. */
export type ActionOutcome =
  | ExecutedOutcome
  | UnexecutedOutcome<"not_executed">
  | EnvironmentFailedOutcome;

/** Who refused an action, and why. */
export interface Denial {
  /** The `id` of the approval callback. */
  readonly by: string;
  /** The reason that it gave; it became the observation. Absent: none was given. */
  readonly reason?: string;
}

/** What one action led to: its outcome, with what the run adds to it. Its `status` tells what it has. */
export type ActionResult =
  & {
    /** Whether the action's tool was marked as completing the run when it was asked. */
    readonly toolCompletes: boolean;
    /** Milliseconds from its start to its outcome; 0 if it never started. */
    readonly durationMs: number;
    /** The `id` of the callback that resolved its unknown outcome. Absent: none was asked. */
    readonly resolvedBy?: string;
  }
  & (
    | ExecutedOutcome
    | UnexecutedOutcome<"not_executed"> & {
      /** Who refused it. Absent: nobody did. */
      readonly denial?: Denial;
    }
    | EnvironmentFailedOutcome
    | UnexecutedOutcome<"unknown">
  );

/** One action of a recorded step. */
export type ActionRecord = ActionResult & {
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
};
