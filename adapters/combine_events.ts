/**
 * One sink out of several.
 *
 * @example
 * ```ts
 * import { combineEvents } from "@polyloop/polyloop/adapters/combine-events";
 * import { consoleEvents } from "@polyloop/polyloop/adapters/console-events";
 * import { jsonlEvents } from "@polyloop/polyloop/adapters/jsonl-events";
 *
 * using file = jsonlEvents("events.jsonl");
 * const events = combineEvents(consoleEvents(), file); // for defineAgent({ …, events })
 * ```
 *
 * @module
 */
import type { EventSink, RunEvent } from "../ports/mod.ts";

/**
 * A sink that hands each event to all of these, in order, and settles when the slowest has. One that fails keeps the
 * event from no other; its error is the rejection, or an `AggregateError` where several failed. Closing the sinks stays
 * with whoever made them.
 *
 * `parameters()` has those of each sink after its place among them: `0.<name>`.
 */
export function combineEvents(...sinks: readonly EventSink[]): EventSink {
  return {
    async emit(event: RunEvent): Promise<void> {
      const results = await Promise.allSettled(sinks.map(async (sink) => await sink.emit(event)));
      const errors = results.filter((result) => result.status === "rejected")
        .map((result) => result.reason);
      if (errors.length === 1) throw errors[0];
      if (errors.length > 1) {
        throw new AggregateError(errors, `Cannot hand the event to ${errors.length} of the sinks`);
      }
    },
    parameters: () =>
      Object.fromEntries(
        sinks.flatMap((sink, at) =>
          Object.entries(sink.parameters()).map(([name, value]) => [`${at}.${name}`, value])
        ),
      ),
  };
}
