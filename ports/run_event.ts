import type {
  ContextStage,
  ErrorInfo,
  FinishReason,
  ParentAction,
  RecoveryPlan,
  RunCounters,
  RunOrigin,
  StepRecord,
  StopReason,
  SummaryFailure,
  Usage,
} from "../types/mod.ts";
import type {
  ActionFinishedEvent,
  ActionStartedEvent,
  ApprovalAnsweredEvent,
  ApprovalRequestedEvent,
} from "./action_event.ts";
import type { EventBase } from "./event_base.ts";
import type { ModelDelta } from "./model_port.ts";
import type { PromptAssembledEvent } from "./prompt_assembled_event.ts";

/** A run began; its started record is durable. */
export interface RunStartedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "run_started";
  /** The parameter snapshot. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What its context was taken from. Absent: from no other run. */
  readonly derivedFrom?: RunOrigin;
  /** The action whose tool makes it. Absent: none does. */
  readonly parent?: ParentAction;
}

/** A run goes on after a crash or a suspension. */
export interface RunResumedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "run_resumed";
  /** The parameter snapshot: the recorded one, which the present one equals. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What its context was taken from. Absent: from no other run. */
  readonly derivedFrom?: RunOrigin;
  /** The action whose tool makes it, as it is given now. Absent: none does. */
  readonly parent?: ParentAction;
  /** Where it goes on. */
  readonly plan: RecoveryPlan;
  /** The steps that were recorded before; they are not emitted again. */
  readonly recordedSteps: number;
}

/** The prompt is another view of history than that of the call before. It holds no text. */
export interface ContextEditedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "context_edited";
  /** The step whose prompt it is, from 0. */
  readonly stepIndex: number;
  /** Which edit of the run it is, from 0. */
  readonly edit: number;
  /** What was done. */
  readonly stage: ContextStage["kind"];
  /** The first and the last step that it changed. */
  readonly steps: readonly [from: number, to: number];
  /** The whole prompt's size before, in code points. */
  readonly beforeChars: number;
  /** The whole prompt's size after. */
  readonly afterChars: number;
}

/** Steps were to be summed up and are not: the next stage goes on. */
export interface ContextEditFailedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "context_edit_failed";
  /** The step whose prompt was to be edited, from 0. */
  readonly stepIndex: number;
  /** What failed. */
  readonly stage: "summarise";
  /** Why. */
  readonly reason: SummaryFailure;
  /** The model call. Absent: none was made. */
  readonly callId?: string;
  /** What the call threw. Absent: it failed in another way. */
  readonly error?: ErrorInfo;
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
  /** What the call is for, where that is not the step's decision: a summary of steps. Absent: it is. */
  readonly purpose?: "summary";
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
  /** What the call is for, where that is not the step's decision: a summary of steps. Absent: it is. */
  readonly purpose?: "summary";
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Whether a reply arrived, the call failed, it was given up to be made again, or nobody knows. */
  readonly outcome: "replied" | "failed" | "withdrawn" | "unknown";
  /** Milliseconds from its start. */
  readonly durationMs: number;
  /** Why the model stopped. Absent: no reply, or the adapter cannot tell. */
  readonly finishReason?: FinishReason;
  /** Tokens, as reported. Absent: none were. */
  readonly usage?: Usage;
  /** The model that the provider says it served. Absent: no reply, or it does not say. */
  readonly servedModel?: string;
  /** The provider's id of the response. Absent: no reply, or it gave none. */
  readonly responseId?: string;
  /** Why it failed. Absent: it did not of itself. */
  readonly error?: ErrorInfo;
}

/**
 * A reply did not tell how many tokens it took, though the run has a limit of them: it counts as none, or it ends the
 * run, as the request's `onUnknownUsage` says. Emitted for the first such reply of a run.
 */
export interface UsageUnknownEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "usage_unknown";
  /** The step, from 0. */
  readonly stepIndex: number;
  /** The call. */
  readonly callId: string;
}

/** A step is in the log. */
export interface StepRecordedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "step_recorded";
  /** The step. */
  readonly step: StepRecord;
}

/**
 * What a resume of a run will see to first.
 *
 * - `next_step`: no step is open; the next one begins.
 * - `reply`: the model's reply.
 * - `decision`: what the interpreter reads in the reply.
 * - `approval`: whether an action may be executed.
 * - `next_action`: the execution of an action.
 * - `action_result`: what became of an action of which nobody knows whether it happened.
 * - `step_end`, `run_end`: all that is missing is the end of the step, or of the run.
 */
export type RunWait =
  | {
    /** What is awaited. */
    readonly kind: "next_step" | "reply" | "decision" | "step_end" | "run_end";
  }
  | {
    /** What is awaited of an action. */
    readonly kind: "approval" | "next_action" | "action_result";
    /** The action's id. */
    readonly actionId: string;
  };

/** A run stopped before its end, and can be resumed. */
export interface RunSuspendedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "run_suspended";
  /**
   * Why: the caller's signal aborted; a model call failed that is to be made again; or a port or a callback threw what
   * is no part of a run.
   */
  readonly why: "abort" | "model_call_failed" | "error";
  /** What was thrown. Absent: the caller's signal aborted. */
  readonly error?: ErrorInfo;
  /** What it waits for. */
  readonly waitsFor: RunWait;
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
 * What a sink hears of a run, in this order: `run_started` or `run_resumed`; per step, where its prompt is
 * edited, `context_edited` and `context_edit_failed`, and for a summary `model_call_started` and `model_call_finished`;
 * then `prompt_assembled`, `step_started`, `model_call_started`, `model_delta`*, `model_call_finished`, `usage_unknown`?, per action
 * `approval_requested` and `approval_answered` where somebody is asked, `action_started`, `action_finished`, then
 * `step_recorded`; last `run_suspended` or `run_finished`.
 */
export type RunEvent =
  | RunStartedEvent
  | RunResumedEvent
  | ContextEditedEvent
  | ContextEditFailedEvent
  | PromptAssembledEvent
  | StepStartedEvent
  | ModelCallStartedEvent
  | ModelDeltaEvent
  | ModelCallFinishedEvent
  | UsageUnknownEvent
  | ApprovalRequestedEvent
  | ApprovalAnsweredEvent
  | ActionStartedEvent
  | ActionFinishedEvent
  | StepRecordedEvent
  | RunSuspendedEvent
  | RunFinishedEvent;

/** The `type` of every {@link RunEvent}. */
export const RUN_EVENT_TYPES: readonly RunEvent["type"][] = [
  "run_started",
  "run_resumed",
  "context_edited",
  "context_edit_failed",
  "prompt_assembled",
  "step_started",
  "model_call_started",
  "model_delta",
  "model_call_finished",
  "usage_unknown",
  "approval_requested",
  "approval_answered",
  "action_started",
  "action_finished",
  "step_recorded",
  "run_suspended",
  "run_finished",
];
