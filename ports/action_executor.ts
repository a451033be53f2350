import type { ActionOutcome, JsonValue, ReplayPolicy } from "../types/mod.ts";

/** One execution of an action. */
export interface ActionCall {
  /** The action, deep-frozen, as the decision gave it. */
  readonly action: JsonValue;
  /** The tool that it names. Absent: the decision named none. */
  readonly toolName?: string;
  /** The action's id, the same when it is replayed: usable as an idempotency key. */
  readonly actionId: string;
  /** 1 for the first attempt, one more for each that follows after a crash or a withdrawal. */
  readonly attempt: number;
  /** Aborts when the run is cancelled; when it is suspended, once the action has had its grace time. */
  readonly signal: AbortSignal;
}

/**
 * Executes actions.
 *
 * Contract:
 *
 * - `execute` is called once for each intent that was recorded, one action at a time within a run, but for those that
 *   `concurrent` lets run together.
 * - An action that fails by itself is an outcome (`executed`, `failed`), not a throw. A throw, or an outcome of
 *   another shape, is an environment failure: it is recorded with the error. Only an outcome that is `executed` has
 *   `failed` and `completed`; with either of them, also with `false`, another one is of another shape. So is one that
 *   did not fail and has an error, or a broken environment's that has one and calls its observation synthetic.
 * - It may give an action up that does not end. Then its outcome is `environment_failed` with `effect: "unknown"`: the
 *   record says that nobody knows whether it took effect.
 * - It is called again with the same `actionId` only after a crash, and only if `replayPolicy` said `replayable` both
 *   before the first attempt and now, or if the caller's callback says that the attempt did not happen. An attempt
 *   that a suspension prevented is none: it never reached the executor.
 * - On abort it should settle soon: with its outcome if there is one, else by rejecting, which means that nobody
 *   knows. What it brings after the grace time is ignored.
 * - It must not change what it is given. What it returns is copied.
 */
export interface ActionExecutor {
  /**
   * The names of the tools that it dispatches to; read once, when a run is defined. A run that names its visible tools
   * refuses an executor that dispatches to others. Absent: it does not say, and is asked nothing.
   */
  readonly toolNames?: readonly string[];
  /** Executes an action. What it throws is an environment failure, an {@link EnvironmentError} or not. */
  execute(call: ActionCall): Promise<ActionOutcome>;
  /**
   * Whether an action of unknown outcome may be executed again. An action that the executor would refuse is
   * `replayable`, since nothing can have run. Pure and quick; a throw propagates. Absent: `never` for every action.
   */
  replayPolicy?(action: JsonValue): ReplayPolicy;
  /**
   * Whether an action may run at the same time as other such actions of its decision, where the run allows several at
   * once. An action that the executor would refuse may. Pure and quick; a throw propagates. Absent: no action may.
   */
  concurrent?(action: JsonValue): boolean;
  /** Whether a tool's execution without failure completes the run. Pure and quick; a throw propagates. Absent: no. */
  completes?(toolName: string): boolean;
  /**
   * What of the configuration bears on the run, digests of every text that it writes for the model included. It
   * enters the parameter snapshot. Called once for each `run` or `resume`; must not throw.
   */
  parameters(): Readonly<Record<string, string>>;
}
