import { StoreFailedError, type StoreTask } from "../../types/mod.ts";

/**
 * What became of a call of a port: it returned; it threw; the run had been aborted before it started; it rejected
 * because of the abort; or it did not settle within the grace time and was given up.
 */
export type Settled<T> =
  | { readonly kind: "returned"; readonly value: T }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "not_started" | "interrupted" | "abandoned" };

/**
 * A run's one listener on the caller's signal, and the only place that knows of timers: it waits for calls of ports
 * and for the store, and stops waiting a grace time after an abort.
 */
export class Interrupt {
  readonly #draining = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #graceMs: number;
  /** What is to happen at the abort, for each thing that is waited for. */
  readonly #waits = new Set<() => void>();
  readonly #listener = () => {
    this.#draining.abort(this.reason);
    this.#waits.forEach((abort) => abort());
  };

  constructor(caller: AbortSignal | undefined, graceMs: number) {
    this.#caller = caller;
    this.#graceMs = graceMs;
    caller?.addEventListener("abort", this.#listener);
  }

  /** For ports that make several attempts at one call: aborts with the run, before what is in flight does. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  get aborted(): boolean {
    return this.#caller?.aborted ?? false;
  }

  get reason(): unknown {
    return this.#caller?.reason;
  }

  /** Calls a port with a signal of its own and waits for it. Never rejects. */
  settle<T>(call: (signal: AbortSignal) => T | Promise<T>): Promise<Settled<T>> {
    if (this.aborted) return Promise.resolve({ kind: "not_started" });
    const controller = new AbortController();
    const { signal } = controller;
    if (this.#caller === undefined) return this.#attempt(call, signal);
    const abort = () => controller.abort(this.reason);
    return this.#race(() => this.#attempt(call, signal), { kind: "abandoned" }, abort);
  }

  /** Waits for the store. After an abort it is given up when the grace time is over. */
  async stored<T>(task: StoreTask, access: () => Promise<T>): Promise<T> {
    if (this.#caller === undefined) return await access();
    const reach = async () => ({ value: await access() });
    const reached = await this.#race<{ value: T } | undefined>(reach, undefined, () => {});
    if (reached !== undefined) return reached.value;
    throw new StoreFailedError(
      task,
      "the store did not settle in time after the run was aborted",
      { cause: this.reason },
    );
  }

  dispose(): void {
    this.#caller?.removeEventListener("abort", this.#listener);
  }

  async #attempt<T>(
    call: (signal: AbortSignal) => T | Promise<T>,
    signal: AbortSignal,
  ): Promise<Settled<T>> {
    try {
      return { kind: "returned", value: await call(signal) };
    } catch (error) {
      return this.aborted ? { kind: "interrupted" } : { kind: "threw", error };
    }
  }

  /** Starts something and gives what it settles with; `late` if it does not within the grace time after an abort. */
  async #race<T>(start: () => Promise<T>, late: T, onAbort: () => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abort = () => {
      timer ??= setTimeout(resolve, this.#graceMs, late);
      onAbort();
    };
    this.#waits.add(abort);
    try {
      start().then(resolve, reject);
      if (this.aborted) abort();
      return await promise;
    } finally {
      this.#waits.delete(abort);
      clearTimeout(timer);
    }
  }
}
