import { InvalidRequestError } from "../../types/mod.ts";

const LATEST_DATE_MS = 8.64e15;

/** A run's view of time: one that runs backwards counts as standing still. */
export class Clock {
  readonly #now: () => number;
  #latest = -LATEST_DATE_MS;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds since the epoch. */
  ms(): number {
    const ms = this.#now();
    if (!(Math.abs(ms) <= LATEST_DATE_MS)) {
      throw new InvalidRequestError(
        "options.now",
        ms,
        "it must return milliseconds since the epoch",
      );
    }
    this.#latest = Math.max(this.#latest, ms);
    return this.#latest;
  }

  /** The same as ISO 8601, UTC. */
  iso(): string {
    return new Date(this.ms()).toISOString();
  }
}
