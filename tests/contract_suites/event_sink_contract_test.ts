import { assertEquals } from "@std/assert";
import { type EventSink, RUN_EVENT_TYPES, type RunEvent } from "../../ports/mod.ts";
import { eventSinkContract, type EventSinkContractOptions } from "../contract/mod.ts";
import { type BrokenPort, testSuite, unstable } from "./broken_ports.ts";

interface Sink extends EventSink {
  readonly events: readonly unknown[];
}

type Take = (event: RunEvent, events: unknown[]) => unknown;

const keep: Take = (event, events) => void events.push(event);

function sink(take: Take, parameters: () => unknown = () => ({})): Sink {
  const events: unknown[] = [];
  return {
    events,
    emit: (event) => take(event, events) as void,
    parameters: parameters as EventSink["parameters"],
  };
}

const SOUND: EventSinkContractOptions<Sink> = {
  makeSink: () => sink(keep),
  keptEvents: ({ events }) => events,
};

function takes(fault: string, caughtBy: string, make: () => Take): BrokenPort {
  const makeSink = () => sink(make());
  return { fault, caughtBy, cases: eventSinkContract({ ...SOUND, graceMs: 20, makeSink }) };
}

function reports(fault: string, caughtBy: string, make: () => () => unknown): BrokenPort {
  const makeSink = () => sink(keep, make());
  return { fault, caughtBy, cases: eventSinkContract({ ...SOUND, makeSink }) };
}

/** A sink that knows the runs that have begun and not ended. */
function withRuns(fail: (event: RunEvent, runs: Set<string>) => boolean): Take {
  const runs = new Set<string>();
  return (event, events) => {
    if (fail(event, runs)) throw new Error(`no such run: ${event.runId}`);
    if (event.type === "run_finished") runs.delete(event.runId);
    else runs.add(event.runId);
    keep(event, events);
  };
}

const FLAT = "parameters() gives a flat map of strings";
const KINDS = "emit() takes events of every kind, frozen";
const UNCHANGED = "emit() changes nothing of an event";
const GIVES = "emit() gives nothing, at once or as a promise";
const HOSTILE = "emit() takes hostile texts";
const INTERLEAVE = "emit() takes runs that interleave";
const AT_ONCE = "emit() takes several runs at the same time";
const AGAIN = "emit() takes a run again that has ended";
const DROPPED = "emit() takes events out of which some were dropped";
const KEEPS = "emit() keeps every event whole, in order";

let made = 0;

testSuite("eventSinkContract()", eventSinkContract(SOUND), [
  reports("reports a number", FLAT, () => () => ({ columns: 80 })),
  reports(
    "counts how often it was asked",
    "parameters() gives the same before and after use",
    unstable,
  ),
  reports("reports when it was made", "parameters() of a port made anew are the same", () => {
    const id = String(made++);
    return () => ({ id });
  }),
  takes("does not know a resume", KINDS, () => (event, events) => {
    if (event.type === "run_resumed") throw new TypeError("what is that");
    keep(event, events);
  }),
  takes(
    "rejects a failed step",
    KINDS,
    () => (event) =>
      event.type === "step_recorded" && event.step.error !== undefined
        ? Promise.reject(event.step.error)
        : undefined,
  ),
  takes("never settles", KINDS, () => () => new Promise(() => {})),
  takes("writes on the event", KINDS, () => (event, events) => {
    Object.assign(event, { seenAt: 0 });
    keep(event, events);
  }),
  takes("marks the event where it can", UNCHANGED, () => (event, events) => {
    if (!Object.isFrozen(event)) Object.assign(event, { sequence: -1 });
    keep(event, events);
  }),
  takes("gives back how many it has", GIVES, () => (event, events) => events.push(event)),
  takes(
    "promises how many it has",
    GIVES,
    () => (event, events) => Promise.resolve(events.push(event)),
  ),
  takes("encodes texts as addresses", HOSTILE, () => (event, events) => {
    if (event.type === "model_delta" && event.kind !== "restart") encodeURIComponent(event.text);
    keep(event, events);
  }),
  takes(
    "takes one run at a time",
    INTERLEAVE,
    () => withRuns(({ runId }, runs) => runs.size > 0 && !runs.has(runId)),
  ),
  takes("does one thing at a time", AT_ONCE, () => {
    let isBusy = false;
    return async () => {
      if (isBusy) throw new Error("busy");
      isBusy = true;
      await Promise.resolve();
      isBusy = false;
    };
  }),
  takes("takes each run once", AGAIN, () => {
    const ended = new Set<string>();
    return ({ runId, type }) => {
      if (ended.has(runId)) throw new Error("it has ended");
      if (type === "run_finished") ended.add(runId);
    };
  }),
  takes(
    "needs the beginning of a run",
    DROPPED,
    () => withRuns(({ runId, type }, runs) => type !== "run_started" && !runs.has(runId)),
  ),
  takes("needs every event", DROPPED, () => {
    const next = new Map<string, number>();
    return ({ runId, sequence }) => {
      if (sequence > (next.get(runId) ?? 0)) throw new Error("an event is missing");
      next.set(runId, sequence + 1);
    };
  }),
  takes(
    "keeps no deltas",
    KEEPS,
    () => (event, events) => event.type === "model_delta" ? undefined : keep(event, events),
  ),
  takes("keeps the latest first", KEEPS, () => (event, events) => void events.unshift(event)),
  takes("keeps well-formed texts alone", KEEPS, () => (event, events) => {
    const said = event.type === "model_delta" && event.kind !== "restart";
    const text = said ? { text: event.text.toWellFormed() } : {};
    events.push({ ...event, ...text });
  }),
]);

Deno.test("eventSinkContract() emits events of every kind", async () => {
  const types = new Set<string>();
  const makeSink = () => sink(({ type }) => void types.add(type));
  const [every] = eventSinkContract({ makeSink }).filter(({ name }) => name === KINDS);
  await every!.run();
  assertEquals([...types].sort(), [...RUN_EVENT_TYPES].sort());
});
