import { countCodePoints, counted, ModelCallError } from "../../types/mod.ts";

/** How long a call may take, in milliseconds; 0 is for ever. */
export interface CallTimes {
  /** The whole call. */
  readonly timeoutMs: number;
  /** The time in which not a byte comes. */
  readonly idleTimeoutMs: number;
}

/** Ends a call that takes too long, or of which nothing is heard for too long. */
export class CallLimits {
  readonly #caller: AbortSignal;
  readonly #idleMs: number;
  readonly #textSoFar: () => string | undefined;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort(this.#caller.reason);
  #callTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #reached: ModelCallError | undefined;

  /** @param textSoFar What text has come, for the error. */
  constructor(caller: AbortSignal, times: CallTimes, textSoFar: () => string | undefined) {
    this.#caller = caller;
    this.#idleMs = times.idleTimeoutMs;
    this.#textSoFar = textSoFar;
    caller.addEventListener("abort", this.#onAbort);
    const { timeoutMs } = times;
    if (timeoutMs > 0) {
      const reach = () => this.#reach(`it took longer than ${timeoutMs} ms (timeoutMs)`);
      this.#callTimer = setTimeout(reach, timeoutMs);
    }
    this.heard();
  }

  /** Aborts with the caller's signal, and when a limit is reached. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What the limit that was reached says. Absent: none was. */
  get reached(): ModelCallError | undefined {
    return this.#reached;
  }

  /** Takes down that the server is alive. */
  heard(): void {
    clearTimeout(this.#idleTimer);
    if (this.#idleMs === 0 || this.signal.aborted) return;
    const reach = () => this.#reach(`nothing was heard for ${this.#idleMs} ms (idleTimeoutMs)`);
    this.#idleTimer = setTimeout(reach, this.#idleMs);
  }

  /** Lets go of the timers and of the caller's signal. */
  end(): void {
    clearTimeout(this.#callTimer);
    clearTimeout(this.#idleTimer);
    this.#caller.removeEventListener("abort", this.#onAbort);
  }

  #reach(limit: string): void {
    const size = countCodePoints(this.#textSoFar() ?? "");
    const come = size === 0 ? "no text" : `${counted(size, "character")} of text`;
    const details = { kind: "timeout", retriable: true } as const;
    this.#reached = new ModelCallError(`${limit}, and ${come} had come`, details);
    this.end();
    this.#controller.abort(this.#reached);
  }
}
