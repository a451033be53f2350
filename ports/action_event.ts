import type { ActionStatus, JsonValue } from "../types/mod.ts";
import type { EventBase } from "./event_base.ts";

/** Somebody is asked whether an action may be executed. */
export interface ApprovalRequestedEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "approval_requested";
  /** The step, from 0. */
  readonly stepIndex: number;
  /** The action's place in its decision, from 0. */
  readonly ordinal: number;
  /** The action's id. */
  readonly actionId: string;
  /** The action. */
  readonly action: JsonValue;
  /** The tool that it names. Absent: it names none. */
  readonly toolName?: string;
  /** The `id` of the approval callback. */
  readonly by: string;
}

/** Somebody answered whether an action may be executed. Where an abort came first, nobody did. */
export type ApprovalAnsweredEvent =
  & EventBase
  & {
    /** Tells the event's kind. */
    readonly type: "approval_answered";
    /** The step, from 0. */
    readonly stepIndex: number;
    /** The action's place in its decision, from 0. */
    readonly ordinal: number;
    /** The action's id. */
    readonly actionId: string;
    /** The tool that it names. Absent: it names none. */
    readonly toolName?: string;
    /** The `id` of the approval callback. */
    readonly by: string;
    /** Milliseconds that the answer took. */
    readonly durationMs: number;
  }
  & (
    | {
      /** That it may be executed. */
      readonly allow: true;
      /** Never there: only a denial has a reason. */
      readonly reason?: never;
    }
    | {
      /** That it may not. */
      readonly allow: false;
      /** Why not. Absent: no reason was given. */
      readonly reason?: string;
    }
  );

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
    /** The tool that it names. Absent: it names none. */
    readonly toolName?: string;
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
