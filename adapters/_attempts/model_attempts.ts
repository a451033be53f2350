import type { ModelCall, ModelDelta, ModelPort } from "../../ports/mod.ts";
import {
  errorInfo,
  ModelCallError,
  type ModelReply,
  type ModelRetry,
  present,
} from "../../types/mod.ts";

/**
 * The attempts at one call: each has a number, which tells its request from the others; only the one that goes on is
 * heard; and what became of those before is told by the reply, or by the error.
 */
export class ModelAttempts {
  readonly #call: ModelCall;
  readonly #retries: ModelRetry[] = [];
  #made = 0;
  /** Whether pieces were told that a further attempt takes back. */
  #hasTold = false;

  constructor(call: ModelCall) {
    this.#call = call;
  }

  /** How many were made. */
  get made(): number {
    return this.#made;
  }

  /** Whether a further one may begin: nobody has aborted the call, nor asked it to end. */
  get mayGoOn(): boolean {
    return !this.#call.signal.aborted && !this.#call.draining.aborted;
  }

  /**
   * Asks a model.
   *
   * @throws What the model's `call` throws.
   */
  async make(model: ModelPort): Promise<ModelReply> {
    const { subAttempt, onDelta, ...call } = this.#call;
    const number = String(++this.#made);
    if (this.#hasTold) onDelta?.({ kind: "restart" });
    this.#hasTold = false;
    let isOver = false;
    const tell = onDelta && ((delta: ModelDelta) => {
      if (isOver) return;
      this.#hasTold = delta.kind !== "restart";
      onDelta(delta);
    });
    try {
      const reply = await model.call(Object.freeze({
        ...call,
        subAttempt: subAttempt === undefined ? number : `${subAttempt}.${number}`,
        ...present({ onDelta: tell }),
      }));
      if (this.#retries.length === 0) return reply;
      return { ...reply, retries: [...this.#retries, ...(reply.retries ?? [])] };
    } finally {
      isOver = true;
    }
  }

  /** Takes down an attempt that failed and is followed by another. */
  failed(error: unknown, waitedMs: number): void {
    this.#retries.push({ error: errorInfo(error), waitedMs });
  }

  /**
   * The error that ends the call, with the attempts before it if its type has a place for them.
   *
   * @param why Why nothing is tried any more. Absent: the error says it.
   */
  end(error: unknown, why?: string): unknown {
    if (!(error instanceof ModelCallError)) return error;
    if (this.#retries.length === 0 && why === undefined) return error;
    const { kind, retriable, status, retryAfterMs, partialText } = error;
    const retries = [...this.#retries, ...(error.retries ?? [])];
    return new ModelCallError(
      why === undefined ? error.message : `${error.message}; ${why}`,
      present({
        kind,
        retriable,
        status,
        retryAfterMs,
        partialText,
        retries: retries.length === 0 ? undefined : retries,
      }),
      { cause: error },
    );
  }
}
