import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { combineEvents } from "../../adapters/combine_events.ts";
import type { EventSink, RunEvent } from "../../ports/mod.ts";

const event: RunEvent = {
  type: "run_suspended",
  why: "abort",
  waitsFor: { kind: "next_step" },
  runId: "r",
  sequence: 0,
  at: "",
};

function sink(emit: EventSink["emit"], parameters: Record<string, string> = {}): EventSink {
  return { emit, parameters: () => parameters };
}

Deno.test("combineEvents() hands each event to all, in order, and waits for the slowest", async () => {
  const seen: string[] = [];
  let finish = (): void => {};
  const slow = sink((given) => {
    assertStrictEquals(given, event);
    seen.push("slow");
    return new Promise((resolve) => finish = resolve);
  });
  const quick = sink(() => void seen.push("quick"));
  const done = Promise.resolve(combineEvents(slow, quick).emit(event)).then(() =>
    seen.push("done")
  );
  await Promise.resolve();
  assertEquals(seen, ["slow", "quick"]);
  finish();
  await done;
  assertEquals(seen, ["slow", "quick", "done"]);
});

Deno.test("combineEvents() lets a failing sink keep the event from no other", async () => {
  const [thrown, rejected] = [new Error("thrown"), new Error("rejected")];
  const throwing = sink(() => {
    throw thrown;
  });
  const rejecting = sink(() => Promise.reject(rejected));
  const cases: [sinks: EventSink[], reason: unknown][] = [[[throwing], thrown], [
    [rejecting],
    rejected,
  ]];
  for (const [failing, reason] of cases) {
    let seen = 0;
    const last = sink(() => void seen++);
    const error: unknown = await assertRejects(async () =>
      await combineEvents(...failing, last).emit(event)
    );
    assertStrictEquals(error, reason);
    assertEquals(seen, 1);
  }
  const both = combineEvents(throwing, sink(() => {}), rejecting);
  const error = await assertRejects(async () => await both.emit(event), AggregateError, "2");
  assertEquals(error.errors, [thrown, rejected]);
});

Deno.test("combineEvents() has the parameters of each sink, apart", () => {
  assertEquals(combineEvents().parameters(), {});
  const none = sink(() => {});
  assertEquals(combineEvents(none, none).parameters(), {});
  const [a, b] = [sink(() => {}, { x: "1" }), sink(() => {}, { x: "2" })];
  assertEquals(combineEvents(a, none, b).parameters(), { "0.x": "1", "2.x": "2" });
});
