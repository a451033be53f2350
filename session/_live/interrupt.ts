import { StoreFailedError, type StoreTask } from "../../types/mod.ts";

/**
 * What became of a call of a port: it returned; it threw of itself; the run had been aborted before it started; it
 * threw once it was told to stop; or it did not settle within the grace time and was given up.
 */
export type Settled<T> =
  | { readonly kind: "returned"; readonly value: T }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "not_started" | "interrupted" | "abandoned" };

/** The least time that the store has after an abort: what is known is to be written, however little grace ports get. */
const STORE_GRACE_MS = 1_000;

/** How long something is waited for after an abort. */
interface Patience {
  /** How long it may go on as if nothing had happened. */
  readonly drainMs: number;
  /** Tells it to stop. */
  readonly tell: () => void;
  /** How long it may take from then on. */
  readonly graceMs: number;
}

/**
 * A run's one listener on the caller's signal, and the only place that knows of timers: it waits for calls of ports
 * and for the store, and stops waiting a grace time after it told a call to stop. That is at once after an abort; where
 * the run drains, as it is suspended, a call first has a grace time to end by itself.
 */
export class Interrupt {
  readonly #draining = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #graceMs: number;
  readonly #drains: boolean;
  /** What is to happen at the abort, for each thing that is waited for. */
  readonly #waits = new Set<() => void>();
  readonly #listener = () => {
    this.#draining.abort(this.reason);
    this.#waits.forEach((abort) => abort());
  };

  constructor(caller: AbortSignal | undefined, graceMs: number, drains: boolean = false) {
    this.#caller = caller;
    this.#graceMs = graceMs;
    this.#drains = drains && graceMs > 0;
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
    const attempt = () => this.#attempt(call, signal);
    if (this.#caller === undefined) return attempt();
    return this.#race<Settled<T>>(attempt, { kind: "abandoned" }, {
      drainMs: this.#drains ? this.#graceMs : 0,
      tell: () => controller.abort(this.reason),
      graceMs: this.#graceMs,
    });
  }

  /** Waits for the store. After an abort it is given up when the grace time is over. */
  stored<T>(task: StoreTask, access: () => Promise<T>): Promise<T> {
    return this.#caller === undefined ? access() : this.#storedInTime(task, access);
  }

  async #storedInTime<T>(task: StoreTask, access: () => Promise<T>): Promise<T> {
    const reach = async () => ({ value: await access() });
    const reached = await this.#race<{ value: T } | undefined>(reach, undefined, {
      drainMs: 0,
      tell: () => {},
      graceMs: Math.max(this.#graceMs, STORE_GRACE_MS),
    });
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
      // Who listens to the caller's own signal throws its reason before the one that it was given aborts.
      const wasTold = signal.aborted || (this.aborted && error === this.reason);
      return wasTold ? { kind: "interrupted" } : { kind: "threw", error };
    }
  }

  /** Starts something and gives what it settles with; `late` if it does not in time after an abort. */
  async #race<T>(
    start: () => Promise<T>,
    late: T,
    { drainMs, tell, graceMs }: Patience,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const cut = () => {
      timer = setTimeout(resolve, graceMs, late);
      tell();
    };
    const abort = () => {
      if (timer !== undefined) return;
      if (drainMs > 0) timer = setTimeout(cut, drainMs);
      else cut();
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
