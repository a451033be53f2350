import { assertEquals, assertRejects } from "@std/assert";
import {
  type EventSink,
  InvalidRequestError,
  run,
  type RunEvent,
  type RunOptions,
} from "../../../mod.ts";
import { parameterSnapshot } from "../../../session/mod.ts";
import { agentOf, hearing, never, now, requestOf } from "../world.ts";

const kinds = (events: readonly RunEvent[]) => events.map(({ type }) => type);

Deno.test("run() tells each event to the call's own sink too, with or without one of the agent", async () => {
  const [own, agents, alone] = [hearing(), hearing(), hearing()];
  await run(agentOf(["do a", "answer 1"], { events: agents }), requestOf(), { now, events: own });
  assertEquals(own.heard, agents.heard);
  await run(agentOf(["do a", "answer 1"]), requestOf(), { now, events: alone });
  assertEquals(kinds(alone.heard), kinds(own.heard));
  const snapshots = [{}, { events: own }].map((options) =>
    parameterSnapshot(agentOf([]), requestOf(), options)
  );
  assertEquals(snapshots[0], snapshots[1]);
});

Deno.test("run() gives no event to either sink before both have taken the one before", async () => {
  const order: string[] = [];
  const sinkOf = (name: string, slow: boolean): EventSink => ({
    async emit({ sequence }) {
      if (slow) { for (let i = 0; i < 5; i++) await Promise.resolve(); }
      order.push(`${sequence} ${name}`);
    },
    parameters: () => ({}),
  });
  const agent = agentOf(["answer 1"], { events: sinkOf("slow", true) });
  await run(agent, requestOf(), { now, events: sinkOf("quick", false) });
  assertEquals(order, order.map((_, i) => `${i >> 1} ${i % 2 === 0 ? "quick" : "slow"}`));
});

Deno.test("run() counts an event once, whichever sink failed to take it, and tells of each failure", async () => {
  const failing = (name: string) => ({
    emit(event: RunEvent): Promise<void> {
      if (event.type === "step_started" && name === "own") throw new Error("own");
      return event.type === "run_started" ? Promise.reject(new Error(name)) : Promise.resolve();
    },
    parameters: () => ({}),
  });
  const told: string[] = [];
  const options: RunOptions = {
    now,
    events: failing("own"),
    onEventError: (error, { type }) => void told.push(`${type} ${(error as Error).message}`),
  };
  const agent = agentOf(["answer 1"], { events: failing("agent") });
  const { eventDeliveryFailures } = await run(agent, requestOf(), options);
  assertEquals(told.sort(), ["run_started agent", "run_started own", "step_started own"]);
  assertEquals(eventDeliveryFailures, 2);
});

Deno.test("run() ends though the call's own sink never answers", async () => {
  const request = requestOf({ cancelGraceMs: 1 });
  const { stopReason } = await run(agentOf(["answer 1"]), request, {
    now,
    events: { emit: never },
  });
  assertEquals(stopReason, "final_answer");
});

Deno.test("run() refuses a sink that has no emit", async () => {
  for (const events of [null, {}, () => {}, { emit: 1 }]) {
    const options = { events } as unknown as RunOptions;
    const error = await assertRejects(
      () => run(agentOf([]), requestOf(), options),
      InvalidRequestError,
    );
    assertEquals(error.field, "options.events");
  }
});
