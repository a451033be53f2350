import { PolyLoopError } from "./polyloop_error.ts";

/** What is known of a change that failed: `none` it was not made; `unknown` it may have been. */
export type Durability = "none" | "unknown";

/** What a store was asked to do. */
export type StoreTask =
  | {
    /** Name the runs that it holds. */
    readonly action: "list";
  }
  | {
    /** Give a run's log. */
    readonly action: "read";
    /** The run. */
    readonly runId: string;
  }
  | {
    /** Add an entry to a run, the first one too; let go of the run; remove it. */
    readonly action: "write" | "release" | "delete";
    /** The run. */
    readonly runId: string;
    /** Whether it was done all the same: of a release, whether all entries that were written are durable. */
    readonly durability: Durability;
  };

/** What a store was doing when it failed. */
export type StoreAction = StoreTask["action"];

/** A store could not do what it was asked. After it, the store refuses the run until it is read again. */
export class StoreFailedError extends PolyLoopError {
  /** What it was doing. */
  readonly action: StoreAction;
  /** The run. Absent: the whole store is meant, as its runs were to be listed. */
  declare readonly runId?: string;
  /** Whether the change was made: `unknown` means that only a fresh read tells. `none` where none was asked for. */
  readonly durability: Durability;
  /** Why it could not, with the path or place. */
  readonly reason: string;

  /** Makes an error for what the store was doing; the `cause` is what the system said. */
  constructor(task: StoreTask, reason: string, options?: ErrorOptions) {
    super("store_failed", `Cannot ${inWords(task)} as ${reason}`, options);
    this.action = task.action;
    if (task.action !== "list") this.runId = task.runId;
    this.durability = "durability" in task ? task.durability : "none";
    this.reason = reason;
  }
}

function inWords(task: StoreTask): string {
  if (task.action === "list") return "list the runs of the store";
  return `${task.action}${task.action === "write" ? " to" : ""} run "${task.runId}"`;
}
