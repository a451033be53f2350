import type { Clock } from "./clock.ts";

/** How long this process has spent on the present step, waits for approvals left out. */
export class StepTimer {
  readonly #clock: Clock;
  #startedMs: number;

  /** Begins at once: a resumed run may enter in the middle of a step. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.ms();
  }

  /** Begins anew, with a step. */
  restart(): void {
    this.#startedMs = this.#clock.ms();
  }

  /** Waits for something that does not count. */
  async pause<T>(wait: () => Promise<T>): Promise<T> {
    const pausedMs = this.#clock.ms();
    const waited = await wait();
    this.#startedMs += this.#clock.ms() - pausedMs;
    return waited;
  }

  /** The milliseconds that count. */
  elapsedMs(): number {
    return this.#clock.ms() - this.#startedMs;
  }
}
