import type { ActionResult } from "./action_result.ts";
import type { ReplayPolicy } from "./replay_policy.ts";
import type { ContextEditFailedRecord, ContextEditRecord } from "./_context/context_records.ts";
import type { RunCounters } from "./budget.ts";
import type { Decision } from "./decision.ts";
import type { ErrorInfo } from "./_errors/error_info.ts";
import type { JsonValue } from "./json.ts";
import type { Injection, RunContext, ToolSchema } from "./message.ts";
import type { ModelReply } from "./model_reply.ts";
import type { RedactionNote } from "./_ids/redaction_note.ts";
import type { ParentAction, RunOrigin } from "./_ids/run_origin.ts";
import type { StepOutcome } from "./step_record.ts";
import type { StopReason } from "./stop_reason.ts";

/** The data that a run's prompts are made of, beside its parameters, so that each prompt can be rebuilt. */
export interface RunInputs {
  /** The messages that the run starts from. */
  readonly context: RunContext;
  /** The injections by channel. */
  readonly injections: Readonly<Record<string, readonly Injection[]>>;
  /** The tools that the model may see, in registry order. Absent: the request named no registry. */
  readonly tools?: readonly ToolSchema[];
  /** What became of the sections that the context was built from: what `buildContext` reports. Absent: it was not given. */
  readonly report?: { readonly [key: string]: JsonValue };
}

/** What ran: recorded, never compared. */
export interface RuntimeInfo {
  /** The version of this library. */
  readonly polyloop: string;
  /** Deno as it names itself, such as `Deno/2.9.6`. Absent: it was another runtime. */
  readonly deno?: string;
  /** Any other runtime as it names itself, such as `Node.js/24` or `Bun/1.4.5`. Absent: it was Deno. */
  readonly runtime?: string;
}

/** The first record of a log. */
export interface RunStartedRecord {
  /** Tells the record's kind. */
  readonly type: "run_started";
  /** The run's id. */
  readonly runId: string;
  /** The parameter snapshot, which a resume must reproduce key by key. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The prompt digest over run level, injections and goal level. */
  readonly contextDigest: string;
  /** What the prompts are made of. Absent: the run was started with `recordInputs: false`. */
  readonly inputs?: RunInputs;
  /** What its context was taken from; the parameters say it, too. Absent: from no other run. */
  readonly derivedFrom?: RunOrigin;
  /** The action whose tool made the run: recorded, never compared. Absent: none did. */
  readonly parent?: ParentAction;
  /** What the log was made from, with texts of it hidden: it is for reading. Absent: it is as it was written. */
  readonly redactedFrom?: RedactionNote;
  /** What ran. */
  readonly runtime: RuntimeInfo;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}

/** Written before a model is called. */
export interface ModelCallIntentRecord {
  /** Tells the record's kind. */
  readonly type: "model_call_intent";
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** The call's id, the same for every attempt: `<runId>/s4` for step 4, `<runId>/s4_c0` for the first summary before it. */
  readonly callId: string;
  /** What it is for, where that is not the step's decision: a summary of steps. Absent: it is. */
  readonly purpose?: "summary";
  /** 1 for the first attempt, one more for each that follows. */
  readonly attempt: number;
  /** The rolling digest over the prompt's messages. */
  readonly promptDigest: string;
  /** The prompt's size in code points. */
  readonly promptChars: number;
  /** How many messages it has. */
  readonly promptMessages: number;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}

/**
 * Says that an attempt at a model call was given up: its reply, if it ever came, is never used. That is known, so the
 * call is made again whatever the replay policy says.
 */
export interface ModelCallWithdrawnRecord {
  /** Tells the record's kind. */
  readonly type: "model_call_withdrawn";
  /** The step that it belongs to, from 0. It stays open. */
  readonly stepIndex: number;
  /** The call. */
  readonly callId: string;
  /** What it is for, where that is not the step's decision: a summary of steps. Absent: it is. */
  readonly purpose?: "summary";
  /** The attempt that was given up. */
  readonly attempt: number;
  /** `suspended`: the run was suspended before a reply came. `failed`: the call failed, and the run waits for better. */
  readonly reason: "suspended" | "failed";
  /** What the call threw. Absent: nothing, or only what the suspension had it throw. */
  readonly error?: ErrorInfo;
  /** Milliseconds from the call's start, which count as active; 0 if it never started. */
  readonly durationMs: number;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}

/** What the model answered. */
export interface ModelReplyRecord {
  /** Tells the record's kind. */
  readonly type: "model_reply";
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** The call that it answers. */
  readonly callId: string;
  /** What it is for, where that is not the step's decision: a summary of steps. Absent: it is. */
  readonly purpose?: "summary";
  /** The attempt that it answers. */
  readonly attempt: number;
  /** The reply, as it was copied when it arrived. */
  readonly reply: ModelReply;
}

/** What the reply meant, with every action that it asks for. */
export interface DecisionRecord {
  /** Tells the record's kind. */
  readonly type: "decision";
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** The decision. */
  readonly decision: Decision;
  /** The assistant's text in history. */
  readonly historyText: string;
}

/** Written before an action is executed. */
export interface ActionIntentRecord {
  /** Tells the record's kind. */
  readonly type: "action_intent";
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** The action's place in the decision, from 0. */
  readonly ordinal: number;
  /** The action's id, the same for every attempt. */
  readonly actionId: string;
  /** 1 for the first attempt, one more for each that follows. */
  readonly attempt: number;
  /** Whether the executor said, before the attempt, that it may be done again. */
  readonly replayPolicy: ReplayPolicy;
  /** The callback that said that the attempt before did not happen. Absent: none was asked. */
  readonly resolvedBy?: string;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}

/** Says that an action was not executed for its last intent: the run was suspended first. So it is tried again. */
export interface ActionWithdrawnRecord {
  /** Tells the record's kind. */
  readonly type: "action_withdrawn";
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** The action's place in the decision, from 0. */
  readonly ordinal: number;
  /** The action's id. */
  readonly actionId: string;
  /** The attempt that never started. */
  readonly attempt: number;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}

/** What an action led to. */
export type ActionResultRecord = ActionResult & {
  /** Tells the record's kind. */
  readonly type: "action_result";
  /** The step that it belongs to, from 0. */
  readonly stepIndex: number;
  /** The action's place in the decision, from 0. */
  readonly ordinal: number;
  /** The action's id. */
  readonly actionId: string;
};

/** The end of a step. */
export interface StepEndRecord {
  /** Tells the record's kind. */
  readonly type: "step";
  /** The step's place in the run, from 0. */
  readonly stepIndex: number;
  /** What became of it. */
  readonly outcome: StepOutcome;
  /** What the model is shown of a step without an action. Absent: it had actions, or nothing is to be shown. */
  readonly observation?: string;
  /** Whether the library wrote the observation. Absent exactly where that is. */
  readonly observationSynthetic?: boolean;
  /** Milliseconds that the process that wrote this spent on the step, waiting for approvals left out. */
  readonly durationMs: number;
  /** What the failed call threw. Absent: nothing. */
  readonly error?: ErrorInfo;
}

/** The last record of a log. */
export interface RunFinishedRecord {
  /** Tells the record's kind. */
  readonly type: "run_finished";
  /** Why the run ended: the first of {@link RunFinishedRecord.stopConditions}. */
  readonly stopReason: StopReason;
  /** Every condition of the deciding tier that was true, in the order of the contract. */
  readonly stopConditions: readonly StopReason[];
  /** The final answer. Absent: the run ended for another reason. */
  readonly answer?: JsonValue;
  /** What the run spent. */
  readonly counters: RunCounters;
  /** Ids of the calls and actions that were given up, after an abort or when their time was over: they may go on. */
  readonly abandoned: readonly string[];
  /** The size of the prompt that overflowed. Absent: none did. */
  readonly promptChars?: number;
  /** When: ISO 8601, UTC. */
  readonly at: string;
}

/** One record of a run's log. Every fact stands in one record only; {@link StepRecord} is their fold. */
export type LogRecord =
  | RunStartedRecord
  | ContextEditRecord
  | ContextEditFailedRecord
  | ModelCallIntentRecord
  | ModelCallWithdrawnRecord
  | ModelReplyRecord
  | DecisionRecord
  | ActionIntentRecord
  | ActionWithdrawnRecord
  | ActionResultRecord
  | StepEndRecord
  | RunFinishedRecord;

/** The `type` of every {@link LogRecord}. */
export const LOG_RECORD_TYPES = [
  "run_started",
  "context_edit",
  "context_edit_failed",
  "model_call_intent",
  "model_call_withdrawn",
  "model_reply",
  "decision",
  "action_intent",
  "action_withdrawn",
  "action_result",
  "step",
  "run_finished",
] as const;
