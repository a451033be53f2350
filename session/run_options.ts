import type { EventSink, RunEvent } from "../ports/mod.ts";
import {
  type ActionOutcome,
  copyField,
  InvalidRequestError,
  type JsonValue,
  type KnownFields,
  memberShape,
  refuseUnknownFields,
  type ReplayPolicy,
} from "../types/mod.ts";
import { requirePort } from "./define_agent.ts";

/** What an approval callback is asked. */
export interface ApprovalRequest {
  /** The run. */
  readonly runId: string;
  /** The step, from 0. */
  readonly stepIndex: number;
  /** The action's id. */
  readonly actionId: string;
  /** The action, deep-frozen. */
  readonly action: JsonValue;
  /** The tool that it names. Absent: it names none. */
  readonly toolName?: string;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** Whether an action may be executed. A denial's reason becomes the observation. */
export type ApprovalAnswer =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason?: string };

/**
 * Approves or denies each action before its intent is written: for a human, or a policy. What it decides from is its
 * own; a run waits for it as long as it takes, and that time does not count as active. A throw propagates, and the run
 * can be resumed. After a crash an action that was not yet intended is asked for again.
 */
export interface ApproveAction {
  /** Its name, in the snapshot: its reasons reach the model, so another approver is another run. */
  readonly id: string;
  /** Decides. */
  decide(request: ApprovalRequest): ApprovalAnswer | Promise<ApprovalAnswer>;
}

/** An action that was about to be executed when the run crashed, and of which nobody knows whether it was. */
export interface UnknownAction extends ApprovalRequest {
  /** The action's place in its decision, from 0. */
  readonly ordinal: number;
  /** How many times it was about to be executed. */
  readonly attempt: number;
  /** What the executor said of replaying it at the time. */
  readonly replayPolicy: ReplayPolicy;
  /** When its last intent was written: ISO 8601, UTC. */
  readonly at: string;
}

/** What became of an action: it happened, with this outcome; it did not, and is to be tried again; nobody knows. */
export type UnknownActionAnswer =
  | { readonly kind: "happened"; readonly outcome: ActionOutcome }
  | { readonly kind: "did_not_happen" }
  | { readonly kind: "unknown" };

/**
 * Finds out, after a crash, what became of an action that may not be replayed: by looking at the world, or by asking
 * someone. It is not in the snapshot, since it is brought along after the crash; what it did is recorded. A throw
 * propagates, and the run can be resumed.
 */
export interface ResolveUnknownAction {
  /** Its name, recorded with what it resolved. */
  readonly id: string;
  /** Finds out. */
  resolve(action: UnknownAction): UnknownActionAnswer | Promise<UnknownActionAnswer>;
}

/** How a run is driven: nothing of it but `approveAction.id` enters the snapshot. */
export interface RunOptions {
  /** Cancels the run. One listener is on it while the run lasts. */
  readonly signal?: AbortSignal;
  /**
   * What `run` does where the store holds a run of that id: it refuses ({@link RunExistsError}), or goes on with it as
   * `resume` does. `resume` always goes on.
   *
   * @default {"refuse"}
   */
  readonly existing?: "refuse" | "resume";
  /**
   * What an abort does. `finish`: it ends the run as `cancelled`, and has what is in flight stop at once. Set so, a
   * cancelled run resolves with its result; by default it rejects with the signal's reason, as the platform's own
   * functions do. `suspend`: it leaves the run to be resumed. Nothing new is started; what is in flight may go on for the
   * request's `cancelGraceMs`, and what it brings is recorded as always; then it is told to stop, and given up after
   * `cancelGraceMs` once more. A model call that was cut is withdrawn, and a resume makes it again.
   *
   * @default {"finish"}
   */
  readonly onAbort?: "finish" | "suspend";
  /**
   * What a failed model call does. `record`: it is a step, which is shown to the model and counted as a failure.
   * `suspend`: the call is withdrawn, and the run rejects with a `RunSuspendedError` whose `cause` is what the call
   * threw; a resume makes it again, with the same prompt. So an outage or an expired key ends no run.
   *
   * @default {"record"}
   */
  readonly onModelFailure?: "record" | "suspend";
  /**
   * Whether a run that is gone on with is taken from a driver that has its lease: one that is known to be dead or stuck.
   * One that lives all the same finds its next write refused; what it was doing is in question, as after a crash. Only
   * stores with leases can do it (`sqliteStore`, `kvStore`, `postgresStore`): the lock of a file cannot be taken.
   *
   * @default {false}
   */
  readonly takeOver?: boolean;
  /**
   * Whether the started record holds the context, the injections and the tools' schemas, so that every prompt can be
   * rebuilt from the log. Without them it can still be resumed and checked.
   * @default {true}
   */
  readonly recordInputs?: boolean;
  /**
   * Whether an error in the log and in events holds the stack of what a tool, the interpreter or a callback threw: its
   * first 2,000 code points, which name files of this machine.
   * @default {true}
   */
  readonly recordStacks?: boolean;
  /**
   * The clock, in milliseconds since the epoch. One that runs backwards counts as standing still.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
  /**
   * Hears what happens in this call alone, beside the agent's own sink: a response that is streamed, a progress bar. Both
   * take an event before either takes the next. It is not in the snapshot. Absent: only the agent's hears.
   */
  readonly events?: Pick<EventSink, "emit">;
  /** Hears of every event that a sink failed to take, once for each sink. What it throws is ignored. */
  readonly onEventError?: (error: unknown, event: RunEvent) => void;
  /** Approves or denies each action. Absent: all are allowed. */
  readonly approveAction?: ApproveAction;
  /** Finds out what became of an action of unknown outcome. Absent: it is recorded as unknown, and the run goes on. */
  readonly resolveUnknownAction?: ResolveUnknownAction;
}

const FIELDS: KnownFields<RunOptions> = {
  signal: true,
  existing: true,
  takeOver: true,
  onAbort: true,
  onModelFailure: true,
  recordInputs: true,
  recordStacks: true,
  now: true,
  events: true,
  onEventError: true,
  approveAction: true,
  resolveUnknownAction: true,
};

/** Refuses options that are not as they must be. */
export function checkOptions(options: RunOptions): void {
  refuseUnknownFields(options, FIELDS, { prefix: "options." });
  const { signal, existing = "refuse", onAbort = "finish", onModelFailure = "record" } = options;
  const { recordInputs = true, recordStacks = true, takeOver = false } = options;
  const { now, events, onEventError } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidRequestError("options.signal", signal, "it must be an AbortSignal");
  }
  copyField("options.existing", existing, memberShape(["refuse", "resume"]));
  copyField("options.onAbort", onAbort, memberShape(["finish", "suspend"]));
  copyField("options.onModelFailure", onModelFailure, memberShape(["record", "suspend"]));
  for (const [name, value] of Object.entries({ recordInputs, recordStacks, takeOver })) {
    if (typeof value !== "boolean") {
      throw new InvalidRequestError(`options.${name}`, value, "it must be true or false");
    }
  }
  for (const [name, callback] of Object.entries({ now, onEventError })) {
    if (callback !== undefined && typeof callback !== "function") {
      throw new InvalidRequestError(`options.${name}`, callback, "it must be a function");
    }
  }
  if (events !== undefined) requirePort("options.events", events, ["emit"]);
  checkCallback("options.approveAction", options.approveAction, "decide");
  checkCallback("options.resolveUnknownAction", options.resolveUnknownAction, "resolve");
}

function checkCallback(
  field: string,
  callback: { readonly id: string } | undefined,
  method: string,
): void {
  if (callback === undefined) return;
  requirePort(field, callback, [method]);
  if (typeof callback.id !== "string" || callback.id === "") {
    throw new InvalidRequestError(
      `${field}.id`,
      callback.id,
      "it must be a string that is not empty",
    );
  }
}
