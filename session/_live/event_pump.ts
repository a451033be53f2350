import type { EventSink, RunEvent } from "../../ports/mod.ts";
import { deepFreeze } from "../../types/mod.ts";
import type { Clock } from "./clock.ts";

/** How many events may wait for a slow sink before some are dropped. */
const QUEUE_LIMIT = 1_000;

type WithoutBase<E> = E extends RunEvent ? Omit<E, "runId" | "sequence" | "at"> : never;

/** An event before it is numbered. */
export type EventPayload = WithoutBase<RunEvent>;

/** What a sink is asked while a run lasts. */
type Listener = Pick<EventSink, "emit">;

/** Hands a run's events to its sinks, one after the other, and never makes the run wait for them. */
export class EventPump {
  readonly #sinks: readonly Listener[];
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #onError: (error: unknown, event: RunEvent) => void;
  readonly #queue: RunEvent[] = [];
  #delivering: Promise<unknown> | undefined;
  #sequence = 0;
  #failures = 0;
  #lastFailed: RunEvent | undefined;
  #closed = false;

  constructor(
    sinks: readonly Listener[],
    runId: string,
    clock: Clock,
    onError: (error: unknown, event: RunEvent) => void,
  ) {
    this.#sinks = sinks;
    this.#runId = runId;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Whether anybody listens. */
  get listening(): boolean {
    return this.#sinks.length > 0;
  }

  /** How many events did not reach every sink. */
  get failures(): number {
    return this.#failures;
  }

  /** Numbers an event and hands it over, or queues it. */
  emit(payload: EventPayload): void {
    if (!this.listening || this.#closed) return;
    const base = { runId: this.#runId, sequence: this.#sequence++, at: this.#clock.iso() };
    this.#queue.push(deepFreeze({ ...base, ...payload } as RunEvent));
    if (this.#queue.length > QUEUE_LIMIT) this.#dropOne();
    if (this.#delivering === undefined) this.#deliver();
  }

  /** Waits until the queue is empty, but no longer than this; what is left is dropped. */
  async drain(limitMs: number): Promise<void> {
    if (this.#delivering !== undefined) await this.#untilIdle(limitMs);
    this.#closed = true;
    if (this.#delivering !== undefined) this.#failures += 1 + this.#queue.length;
    this.#queue.length = 0;
  }

  async #untilIdle(limitMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let late = false;
    const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, limitMs))
      .then(() => void (late = true));
    while (!late && this.#delivering !== undefined) await Promise.race([this.#delivering, limit]);
    clearTimeout(timer);
  }

  #deliver(): void {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      const pending: Promise<void>[] = [];
      for (const sink of this.#sinks) {
        const delivered = this.#hand(sink, event);
        if (delivered !== undefined) pending.push(delivered);
      }
      if (pending.length > 0) {
        this.#delivering = Promise.all(pending).then(() => {
          this.#delivering = undefined;
          if (!this.#closed) this.#deliver();
        });
        return;
      }
    }
  }

  #hand(sink: Listener, event: RunEvent): Promise<void> | undefined {
    try {
      const delivered = sink.emit(event);
      if (typeof delivered?.then !== "function") return undefined;
      return Promise.resolve(delivered).catch((error) => this.#fail(error, event));
    } catch (error) {
      this.#fail(error, event);
      return undefined;
    }
  }

  #fail(error: unknown, event: RunEvent): void {
    if (this.#closed) return;
    if (this.#lastFailed !== event) this.#failures += 1;
    this.#lastFailed = event;
    // The caller's own report of a failure must not fail the run, nor the process later.
    (async () => await this.#onError(error, event))().catch(() => {});
  }

  #dropOne(): void {
    const delta = this.#queue.findIndex((event) => event.type === "model_delta");
    this.#queue.splice(Math.max(delta, 0), 1);
    this.#failures += 1;
  }
}
