import type { RunOptions } from "../../session/mod.ts";
import { counted } from "../../types/mod.ts";
import { errorLine } from "../_terminal_text.ts";

/** Hears which events a run's sink failed to take. */
export class SinkFailures {
  readonly #also: RunOptions["onEventError"];
  #first: { readonly error: unknown } | undefined;
  #count = 0;

  /** Tells `also` of each failure, too. */
  constructor(also: RunOptions["onEventError"]) {
    this.#also = also;
  }

  /** The option of a run that has it tell of failures. */
  readonly onEventError: NonNullable<RunOptions["onEventError"]> = (error, event) => {
    this.#first ??= { error };
    this.#count += 1;
    this.#also?.(error, event);
  };

  /**
   * What there is to say; nothing if all events arrived.
   *
   * @param delivered How many events did not arrive, as the run's result tells. Absent: there is no result, and what was
   * dropped is not known.
   */
  words(delivered: number = this.#count): string | undefined {
    if (delivered === 0) return undefined;
    const why = this.#first === undefined ? "it was too slow" : errorLine(this.#first.error);
    return `note: the events' sink did not get ${counted(delivered, "event")}: ${why}`;
  }
}
