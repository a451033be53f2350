import type { EventSink, RunEvent } from "../../ports/mod.ts";
import {
  countShape,
  functionShape,
  objectShape,
  optionalField,
  requireShape,
} from "../../types/mod.ts";
import { expectEqual } from "./_expect.ts";
import { hostileTexts } from "./_hostile_texts.ts";
import {
  DEFAULT_GRACE_MS,
  expectUnchanged,
  parametersCases,
  portCase,
  type PortSource,
  settledWithin,
  shown,
} from "./_port_bench.ts";
import { sampleEvents } from "./_sample_events.ts";
import type { ContractCase } from "./contract_case.ts";

/** How the suite gets at the sink under test. */
export interface EventSinkContractOptions<S extends EventSink> {
  /** Makes a sink. Called once or twice for each case; cases may run one after the other or at the same time. */
  readonly makeSink: () => S | Promise<S>;
  /**
   * The events that the sink has kept, in its order, as they can be read back. Absent: it keeps none, and that case is
   * left out.
   */
  readonly keptEvents?: (sink: S) => readonly unknown[] | Promise<readonly unknown[]>;
  /**
   * How long the sink may take for an event, in milliseconds. The default is how long a run with the
   * default cancel grace waits for its sink at the end.
   *
   * @default {5000}
   */
  readonly graceMs?: number;
  /** Closes a sink of which the suite needs no more. Default: nothing is done. */
  readonly dispose?: (sink: S) => void | Promise<void>;
}

/**
 * The contract of an {@link EventSink} as an array of cases: parameters, events of every kind, frozen as a run hands them
 * over, what it must not change, what it gives back, runs that interleave, gaps, hostile texts, and if the hook is
 * given that it keeps what it took.
 *
 * @example
 * ```ts
 * import type { EventSink, RunEvent } from "@polyloop/polyloop/ports";
 * import { eventSinkContract } from "@polyloop/polyloop/contract";
 *
 * function memorySink(): EventSink & { readonly events: readonly RunEvent[] } {
 *   const events: RunEvent[] = [];
 *   return { events, emit: (event) => void events.push(event), parameters: () => ({}) };
 * }
 * const cases = eventSinkContract({ makeSink: memorySink, keptEvents: ({ events }) => events });
 * for (const { name, run } of cases) {
 *   Deno.test(`my sink: ${name}`, run);
 * }
 * ```
 *
 * @throws {InvalidRequestError} If an option is not as it must be, or there is none of its name.
 */
export function eventSinkContract<S extends EventSink>(
  options: EventSinkContractOptions<S>,
): readonly ContractCase[] {
  requireShape<EventSinkContractOptions<S>>(
    "options",
    options,
    objectShape({
      makeSink: functionShape(),
      keptEvents: optionalField(functionShape()),
      graceMs: optionalField(countShape),
      dispose: optionalField(functionShape()),
    }),
  );
  const { makeSink, keptEvents, dispose, graceMs = DEFAULT_GRACE_MS } = options;
  const source: PortSource<S> = { make: makeSink, dispose };
  const emitAll = async (sink: EventSink, events: readonly RunEvent[]): Promise<void> => {
    for (const event of events) await emit(sink, event, graceMs);
  };
  const cases = [
    ...parametersCases(source, (sink) => emitAll(sink, sampleEvents("used", "a text"))),
    ...eventCases(source, emitAll, graceMs),
    ...runCases(source, emitAll),
  ];
  if (keptEvents !== undefined) {
    cases.push(portCase(source, "emit() keeps every event whole, in order", async (sink) => {
      const texts = hostileTexts();
      const events = interleaved(texts.map((text, i) => sampleEvents(`kept-${i}`, text)));
      await emitAll(sink, events);
      const kept = await keptEvents(sink);
      expectEqual(kept.length, events.length, "how many events were kept");
      for (const [i, event] of events.entries()) expectEqual(kept[i], event, `event ${i}`);
    }));
  }
  return cases;
}

type EmitAll = (sink: EventSink, events: readonly RunEvent[]) => Promise<void>;

function eventCases<S extends EventSink>(
  sinks: PortSource<S>,
  emitAll: EmitAll,
  graceMs: number,
): readonly ContractCase[] {
  return [
    portCase(sinks, "emit() takes events of every kind, frozen", async (sink) => {
      await emitAll(sink, sampleEvents("every-kind", "a text"));
    }),
    portCase(sinks, "emit() changes nothing of an event", async (sink) => {
      for (const event of sampleEvents("unchanged", "a text")) {
        await expectUnchanged(
          event,
          `the event ${event.type}`,
          (copy) => emit(sink, copy, graceMs),
        );
      }
    }),
    portCase(sinks, "emit() gives nothing, at once or as a promise", async (sink) => {
      for (const event of sampleEvents("given-back", "a text")) {
        expectEqual(
          await emit(sink, event, graceMs),
          undefined,
          `what emit() of ${event.type} gave`,
        );
      }
    }),
    portCase(sinks, "emit() takes hostile texts", async (sink) => {
      for (const text of hostileTexts()) await emitAll(sink, sampleEvents("hostile", text));
    }),
  ];
}

function runCases<S extends EventSink>(
  sinks: PortSource<S>,
  emitAll: EmitAll,
): readonly ContractCase[] {
  const run = (runId: string): readonly RunEvent[] => sampleEvents(runId, "a text");
  return [
    portCase(sinks, "emit() takes runs that interleave", async (sink) => {
      await emitAll(sink, interleaved(["first", "second", "third"].map(run)));
    }),
    portCase(sinks, "emit() takes several runs at the same time", async (sink) => {
      await Promise.all(["first", "second", "third"].map((runId) => emitAll(sink, run(runId))));
    }),
    portCase(sinks, "emit() takes a run again that has ended", async (sink) => {
      await emitAll(sink, [...run("again"), ...run("again")]);
    }),
    portCase(sinks, "emit() takes events out of which some were dropped", async (sink) => {
      for (const [i, event] of run("single").entries()) {
        await emitAll(sink, [{ ...event, runId: `single-${i}` }]);
      }
      await emitAll(sink, run("gaps").filter((_, i) => i % 2 === 1));
    }),
  ];
}

/** Hands over one event, and waits until it was taken, as a run does before the next; gives what came. */
async function emit(sink: EventSink, event: RunEvent, graceMs: number): Promise<unknown> {
  const what = `emit() of ${event.type}`;
  const work = (async (): Promise<unknown> => await sink.emit(event))();
  const end = await settledWithin(graceMs, work, what);
  if (end.status === "fulfilled") return end.value;
  throw new Error(`${what} failed: ${shown(end.reason)}`, { cause: end.reason });
}

/** One event of each list in turn, until all are through. */
function interleaved(lists: readonly (readonly RunEvent[])[]): readonly RunEvent[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
}
