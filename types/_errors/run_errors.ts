import { PolyLoopError } from "./polyloop_error.ts";

/** A run of that id exists already: resume it, or start another id. */
export class RunExistsError extends PolyLoopError {
  /** The run. */
  readonly runId: string;

  /** Makes an error for a run id. */
  constructor(runId: string) {
    const detail = "the store holds a run of that id already: resume it, or take another id";
    super("run_exists", `Cannot start run "${runId}" as ${detail}`);
    this.runId = runId;
  }
}

/** There is no run of that id in the store. */
export class RunNotFoundError extends PolyLoopError {
  /** The run. */
  readonly runId: string;

  /** Makes an error for a run id. */
  constructor(runId: string) {
    const detail = "the store holds no run of that id: start it first";
    super("run_not_found", `Cannot resume run "${runId}" as ${detail}`);
    this.runId = runId;
  }
}

/** Another driver wrote to the run meanwhile. This one has stopped; only a fresh resume may go on. */
export class RunConflictError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /** The place in the log that this driver wanted to write. */
  readonly seq: number;

  /** Makes an error for a place in a run's log. */
  constructor(runId: string, seq: number, detail: string, options?: ErrorOptions) {
    super("run_conflict", `Cannot write entry ${seq} of run "${runId}" as ${detail}`, options);
    this.runId = runId;
    this.seq = seq;
  }
}

/** Another driver has the run right now: another process, or another store in this one. */
export class RunLockedError extends PolyLoopError {
  /** The run. */
  readonly runId: string;
  /**
   * When the other's lease ends unless it is renewed: milliseconds since the epoch, by this process's clock. Absent: it
   * is held by a lock, which ends with its process.
   */
  declare readonly until?: number;

  /** Makes an error for a run id; the detail names the lock, and `until` says when a lease ends. */
  constructor(
    runId: string,
    detail: string,
    { until, ...options }: ErrorOptions & { readonly until?: number } = {},
  ) {
    super(
      "run_locked",
      `Cannot open run "${runId}" as another process drives it: ${detail}`,
      options,
    );
    this.runId = runId;
    if (until !== undefined) this.until = until;
  }
}

/** The run was aborted and waits for a resume. The `cause` is the signal's reason. */
export class RunSuspendedError extends PolyLoopError {
  /** The run. */
  readonly runId: string;

  /** Makes an error for a run id; pass the signal's reason as `cause`. */
  constructor(runId: string, options?: ErrorOptions) {
    super(
      "run_suspended",
      `Cannot finish run "${runId}" as it was suspended: resume it to go on`,
      options,
    );
    this.runId = runId;
  }
}
