import type {
  ActionOutcome,
  ErrorInfo,
  JsonValue,
  ModelReply,
  ReplayPolicy,
} from "../types/mod.ts";
import type { ModelCall } from "./model_port.ts";

/** What a recorded call came to: a reply, or what the call threw. */
export type RecordedAnswer =
  | {
    /** The reply. */
    readonly reply: ModelReply;
    /** Never there: the call did not fail. */
    readonly error?: never;
  }
  | {
    /** What the call threw. */
    readonly error: ErrorInfo;
    /** Never there: the call failed. */
    readonly reply?: never;
  };

/** A model call of a recorded run: what the model was sent, and what came of it. */
export type RecordedCall =
  & Pick<ModelCall, "messages" | "tools" | "binding">
  & RecordedAnswer
  & {
    /** Which call of its run it is: its id without the run's, `s7` for step 7. */
    readonly key: string;
  };

/** What a recorded action came to: an outcome, or what its executor threw. */
export type RecordedEffect =
  | {
    /** The outcome. */
    readonly outcome: ActionOutcome;
    /** Never there: the executor gave an outcome. */
    readonly error?: never;
  }
  | {
    /** What the executor threw. */
    readonly error: ErrorInfo;
    /** Never there: the executor threw. */
    readonly outcome?: never;
  };

/** An action of a recorded run that was executed: what the executor was given and said of it, and what came of it. */
export type RecordedAction = RecordedEffect & {
  /** Which action of its run it is: its id without the run's, `s7_a0` for action 0 of step 7. */
  readonly key: string;
  /** The action. */
  readonly action: JsonValue;
  /** The tool that it names. Absent: it names none. */
  readonly toolName?: string;
  /** Whether it might be replayed. */
  readonly replayPolicy: ReplayPolicy;
  /** Whether it ran at the same time as others. */
  readonly concurrent: boolean;
  /** Whether its tool was marked as completing the run. */
  readonly toolCompletes: boolean;
};
