import type { Message, ModelReply, ToolSchema } from "../types/mod.ts";

/**
 * A piece of a reply that is still arriving; or that those so far count no more: the model is asked again, or more is
 * known of what they are.
 */
export type ModelDelta =
  | {
    /** Whether it is visible text or reasoning. */
    readonly kind: "text" | "reasoning";
    /** The piece. */
    readonly text: string;
  }
  | {
    /** The reply begins anew. */
    readonly kind: "restart";
  };

/** One call of a model. */
export interface ModelCall {
  /** The call's id, the same when the call is replayed: usable as an idempotency key. */
  readonly callId: string;
  /** 1 for the first attempt, one more for each that follows after a crash or a withdrawal. */
  readonly attempt: number;
  /**
   * Tells the attempts of a port that makes several at this call: `2`, or `1.3` where one such port is inside another.
   * Absent: the call itself.
   */
  readonly subAttempt?: string;
  /** The prompt, deep-frozen; it never changes, also after the call. */
  readonly messages: readonly Message[];
  /** The tools that the model may call by the native protocol, in registry order. Absent: none. */
  readonly tools?: readonly ToolSchema[];
  /** The request's `modelBinding`, as it was given. */
  readonly binding: Readonly<Record<string, string>>;
  /** Aborts when the run is cancelled; when it is suspended, once the call has had its grace time. */
  readonly signal: AbortSignal;
  /** Aborts at once in both cases: a port that makes several attempts at a call begins no further one. */
  readonly draining: AbortSignal;
  /** Takes pieces of the reply as they arrive. Absent: nobody listens. It never throws. */
  readonly onDelta?: (delta: ModelDelta) => void;
}

/**
 * Calls a model. Governing one call (retries, rate limits, fallbacks, caches) belongs behind this port: in a gateway,
 * or in `retryingModel` and `fallbackModel`. A run calls the port once for each intent that it recorded.
 *
 * Contract:
 *
 * - `call` may reject with anything; a {@link ModelCallError} says the most. A rejection, or a reply of another shape,
 *   is a failed call: it is recorded, counted, and the run goes on within its budget.
 * - It is called by one step at a time of a run, and by any number of runs at once.
 * - It is called again with the same `callId` after a crash only if the request's `modelReplayPolicy` is `replayable`;
 *   and on a resume where the call was withdrawn, as it was cut by a suspension, or had failed.
 * - On abort of `signal` it should reject soon. What it brings after the grace time is ignored. After `draining` alone
 *   what it brings counts.
 * - It must not change what it is given. What it returns is copied.
 */
export interface ModelPort {
  /**
   * Sends a prompt and gives the model's reply.
   *
   * @throws {ModelCallError} If the call failed. Any other error is taken for a failed call, too.
   */
  call(call: ModelCall): Promise<ModelReply>;
  /**
   * What of the configuration bears on the run: the model's name, sampling settings; not where it lives, no
   * credentials. It enters the parameter snapshot. Called once for each `run` or `resume`; must not throw.
   */
  parameters(): Readonly<Record<string, string>>;
}
