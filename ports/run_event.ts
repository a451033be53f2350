import type {
  ActionStatus,
  ErrorInfo,
  FinishReason,
  JsonValue,
  RecoveryPlan,
  RunCounters,
  StepRecord,
  StopReason,
  Usage,
} from "../types/mod.ts";
import type { ModelDelta } from "./model_port.ts";

/** What every event has. */
export interface EventBase {
  /** The run. */
  readonly runId: string;
  /** Numbered at emission, from 0 for each `run` or `resume`; a gap is exactly what was dropped. */
  readonly sequence: number;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}

/** A run began; its started record is durable. */
export interface RunStartedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "run_started";
  /** The parameter snapshot. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A run goes on after a crash or a suspension. */
export interface RunResumedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "run_resumed";
  /** The parameter snapshot: the recorded one, which the present one equals. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Where it goes on. */
  readonly plan: RecoveryPlan;
  /** The steps that were recorded before; they are not emitted again. */
  readonly recordedSteps: number;
}

/**
 * The part of a prompt that a message belongs to.
 *
 * - `run_level`: what many runs share.
 * - `injection`: what is pasted in by channel.
 * - `goal_level`: what this run is for.
 * - `history`: what the model said, and what it was shown for it.
 */
export type PromptSegment = (typeof PROMPT_SEGMENTS)[number];

/** Every {@link PromptSegment}, in the order of a prompt. */
export const PROMPT_SEGMENTS = ["run_level", "injection", "goal_level", "history"] as const;

/** Something about a message that its writer may not have meant. */
export type MessageWarning = "empty_content" | "whitespace_only" | "cr_present";

/** One message of a prompt, as a receipt lists it: everything but its text. */
export interface ReceiptMessage {
  /** The part of the prompt. */
  readonly segment: PromptSegment;
  /**
   * Where it comes from: `run[0]`, `injection:<channel>/<entryId>#0`, `goal[1]`, `step:4/assistant`,
   * `step:4/observation`.
   */
  readonly source: string;
  /** The source that its provenance names. Absent: it has none. */
  readonly origin?: string;
  /** The version that its provenance names. Absent: it has none. */
  readonly version?: string;
  /** The trust that its provenance names. Absent: it names none. */
  readonly trust?: string;
  /** Its size in code points. */
  readonly size: number;
  /** The rolling digest up to and with it. */
  readonly chain: string;
  /** What its writer may not have meant; empty if nothing. */
  readonly warnings: readonly MessageWarning[];
}

/** The receipt of a prompt, before it is asked whether it fits. It holds no text. */
export interface PromptAssembledEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "prompt_assembled";
  /** The step that it is for, from 0. */
  readonly stepIndex: number;
  /** The messages that are new since the call before (on a resume: since the last recorded call). */
  readonly newMessages: readonly ReceiptMessage[];
  /** How many messages the call before had already. */
  readonly sharedMessages: number;
  /** Their size in code points. */
  readonly sharedChars: number;
  /** The size of each segment of the whole prompt. */
  readonly totals: Readonly<Record<PromptSegment, number>>;
  /** The whole prompt's number of messages. */
  readonly promptMessages: number;
  /** The whole prompt's size in code points. */
  readonly promptChars: number;
  /** The rolling digest over all its messages. */
  readonly promptDigest: string;
  /** The budget's `maxPromptChars`. */
  readonly limit: number;
  /** Whether it may be sent. */
  readonly verdict: "fits" | "context_overflow";
  /** By how much it is too large; 0 if it fits. */
  readonly excess: number;
}

/** A step begins: its prompt fits. */
export interface StepStartedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "step_started";
  /** The step, from 0. */
  readonly stepIndex: number;
}

/** A model is about to be called; its intent is durable. */
export interface ModelCallStartedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "model_call_started";
  /** The step, from 0. */
  readonly stepIndex: number;
  /** The call. */
  readonly callId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** A piece of a reply arrived, or the model is asked again and the pieces of this call so far count no more. */
export type ModelDeltaEvent =
  & EventBase
  & {
    /** Tells the event's kind. */
    readonly type: "model_delta";
    /** The step, from 0. */
    readonly stepIndex: number;
    /** The call. */
    readonly callId: string;
  }
  & ModelDelta;

/** A model call ended. */
export interface ModelCallFinishedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "model_call_finished";
  /** The step, from 0. */
  readonly stepIndex: number;
  /** The call. */
  readonly callId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Whether a reply arrived, the call failed, or nobody knows. */
  readonly outcome: "replied" | "failed" | "unknown";
  /** Milliseconds from its start. */
  readonly durationMs: number;
  /** Why the model stopped. Absent: no reply, or the adapter cannot tell. */
  readonly finishReason?: FinishReason;
  /** Tokens, as reported. Absent: none were. */
  readonly usage?: Usage;
  /** Why it failed. Absent: it did not. */
  readonly error?: ErrorInfo;
}

/** An action is about to be executed; its intent is durable. */
export interface ActionStartedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "action_started";
  /** The step, from 0. */
  readonly stepIndex: number;
  /** The action's place in its decision, from 0. */
  readonly ordinal: number;
  /** The action's id. */
  readonly actionId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The action. */
  readonly action: JsonValue;
  /** The tool that it names. Absent: it names none. */
  readonly toolName?: string;
}

/** An action was settled: executed, refused, skipped, or given up. */
export type ActionFinishedEvent =
  & EventBase
  & {
    /** Tells the event's kind. */
    readonly type: "action_finished";
    /** The step, from 0. */
    readonly stepIndex: number;
    /** The action's place in its decision, from 0. */
    readonly ordinal: number;
    /** The action's id. */
    readonly actionId: string;
    /** Milliseconds from its start; 0 if it never started. */
    readonly durationMs: number;
  }
  & (
    | {
      /** Tells that it ran. */
      readonly status: "executed";
      /** Whether the action itself reported an error. */
      readonly failed: boolean;
    }
    | {
      /** What became of it. */
      readonly status: Exclude<ActionStatus, "executed">;
      /** Never there: only what ran can have failed by itself. */
      readonly failed?: never;
    }
  );

/** A step is in the log. */
export interface StepRecordedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "step_recorded";
  /** The step. */
  readonly step: StepRecord;
}

/** The run was aborted and waits for a resume. */
export interface RunSuspendedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "run_suspended";
}

/** The run ended; its finished record is durable. */
export interface RunFinishedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "run_finished";
  /** Why. */
  readonly stopReason: StopReason;
  /** Every condition of the deciding tier that was true. */
  readonly stopConditions: readonly StopReason[];
  /** What the run spent. */
  readonly counters: RunCounters;
}

/**
 * What a sink hears of a run, in this order: `run_started` or `run_resumed`; per step `prompt_assembled`,
 * `step_started`, `model_call_started`, `model_delta`*, `model_call_finished`, per action `action_started`,
 * `action_finished`, then `step_recorded`; last `run_suspended` or `run_finished`.
 */
export type RunEvent =
  | RunStartedEvent
  | RunResumedEvent
  | PromptAssembledEvent
  | StepStartedEvent
  | ModelCallStartedEvent
  | ModelDeltaEvent
  | ModelCallFinishedEvent
  | ActionStartedEvent
  | ActionFinishedEvent
  | StepRecordedEvent
  | RunSuspendedEvent
  | RunFinishedEvent;

/** The `type` of every {@link RunEvent}. */
export const RUN_EVENT_TYPES: readonly RunEvent["type"][] = [
  "run_started",
  "run_resumed",
  "prompt_assembled",
  "step_started",
  "model_call_started",
  "model_delta",
  "model_call_finished",
  "action_started",
  "action_finished",
  "step_recorded",
  "run_suspended",
  "run_finished",
];
