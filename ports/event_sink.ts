import type { RunEvent } from "./run_event.ts";

/**
 * Takes the events of runs: for progress, logs, audits. It observes; it cannot change a run.
 *
 * Contract:
 *
 * - Events of one run arrive one after the other, in order; the next is handed over when the promise of the one
 *   before has settled. Events of several runs interleave.
 * - A slow or hung sink never slows a run: events wait in a bounded queue, `model_delta` is dropped first, and what
 *   was dropped shows as a gap in `sequence`. At the end of a run the queue is drained for at most the cancel grace.
 * - A failure is caught, counted, and passed to the caller's `onEventError`; it is not emitted again.
 * - Steps that were recorded before a resume are not emitted again.
 * - Events are deep-frozen.
 */
export interface EventSink {
  /** Takes an event. */
  emit(event: RunEvent): void | Promise<void>;
  /**
   * What of the configuration bears on the run: for a mere observer nothing. It enters the parameter snapshot. Called
   * once for each `run` or `resume`; must not throw.
   */
  parameters(): Readonly<Record<string, string>>;
}
