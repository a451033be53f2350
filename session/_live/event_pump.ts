import type { EventSink, RunEvent } from "../../ports/mod.ts";
import { deepFreeze } from "../../types/mod.ts";
import type { Clock } from "./clock.ts";

/** How many events may wait for a slow sink before some are dropped. */
const QUEUE_LIMIT = 1_000;

type WithoutBase<E> = E extends RunEvent ? Omit<E, "runId" | "sequence" | "at"> : never;

/** An event before it is numbered. */
export type EventPayload = WithoutBase<RunEvent>;

/** Hands a run's events to its sink, one after the other, and never makes the run wait for it. */
export class EventPump {
  readonly #sink: EventSink | undefined;
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #onError: (error: unknown, event: RunEvent) => void;
  readonly #queue: RunEvent[] = [];
  #delivering: Promise<void> | undefined;
  #sequence = 0;
  #failures = 0;
  #closed = false;

  constructor(
    sink: EventSink | undefined,
    runId: string,
    clock: Clock,
    onError: (error: unknown, event: RunEvent) => void,
  ) {
    this.#sink = sink;
    this.#runId = runId;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Whether anybody listens. */
  get listening(): boolean {
    return this.#sink !== undefined;
  }

  /** How many events did not reach the sink. */
  get failures(): number {
    return this.#failures;
  }

  /** Numbers an event and hands it over, or queues it. */
  emit(payload: EventPayload): void {
    if (this.#sink === undefined || this.#closed) return;
    const base = { runId: this.#runId, sequence: this.#sequence++, at: this.#clock.iso() };
    this.#queue.push(deepFreeze({ ...base, ...payload } as RunEvent));
    if (this.#queue.length > QUEUE_LIMIT) this.#dropOne();
    if (this.#delivering === undefined) this.#deliver(this.#sink);
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

  #deliver(sink: EventSink): void {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      const delivered = this.#hand(sink, event);
      if (delivered !== undefined) {
        this.#delivering = delivered.then(() => {
          this.#delivering = undefined;
          if (!this.#closed) this.#deliver(sink);
        });
        return;
      }
    }
  }

  #hand(sink: EventSink, event: RunEvent): Promise<void> | undefined {
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
    this.#failures += 1;
    // The caller's own report of a failure must not fail the run, nor the process later.
    Promise.try(this.#onError, error, event).catch(() => {});
  }

  #dropOne(): void {
    const delta = this.#queue.findIndex((event) => event.type === "model_delta");
    this.#queue.splice(Math.max(delta, 0), 1);
    this.#failures += 1;
  }
}
