import { PolyLoopError } from "./polyloop_error.ts";

/** What is known of a write that failed: `none` it is not in the log; `unknown` it may be. */
export type Durability = "none" | "unknown";

/** A store could not do what it was asked. After it, the store refuses the run until it is read again. */
export class StoreFailedError extends PolyLoopError {
  /** The run; empty where the whole store is meant. */
  readonly runId: string;
  /** Whether the write is in the log: `unknown` means that only a fresh read tells. */
  readonly durability: Durability;

  /** Makes an error for a run; the detail names the path or place, the `cause` what the system said. */
  constructor(runId: string, durability: Durability, detail: string, options?: ErrorOptions) {
    super("store_failed", `Cannot store run "${runId}" as ${detail}`, options);
    this.runId = runId;
    this.durability = durability;
  }
}
