import { assertEquals } from "@std/assert";
import { Interrupt } from "../../../session/_live/interrupt.ts";
import { never } from "../world.ts";

Deno.test("settle() aborts and gives up each of the calls that are in flight at once", async () => {
  const controller = new AbortController();
  const interrupt = new Interrupt(controller.signal, 0);
  const signals: AbortSignal[] = [];
  const hanging = (signal: AbortSignal) => {
    signals.push(signal);
    return never<string>();
  };
  const settling = [interrupt.settle(hanging), interrupt.settle(hanging)];
  const quick = await interrupt.settle(() => "done");
  controller.abort("enough");
  const settled = await Promise.all(settling);
  assertEquals(quick, { kind: "returned", value: "done" });
  assertEquals(settled.map(({ kind }) => kind), ["abandoned", "abandoned"]);
  assertEquals(signals.map(({ reason }) => reason), ["enough", "enough"]);
  interrupt.dispose();
});

Deno.test("draining aborts with the run, before what is in flight does", async () => {
  const controller = new AbortController();
  const interrupt = new Interrupt(controller.signal, 0);
  const { draining } = interrupt;
  const order: string[] = [];
  draining.addEventListener("abort", () => order.push("draining"), { once: true });
  const settling = interrupt.settle((signal) => {
    signal.addEventListener("abort", () => order.push("signal"), { once: true });
    return never<string>();
  });
  assertEquals(draining.aborted, false);
  controller.abort("enough");
  await settling;
  assertEquals(order, ["draining", "signal"]);
  assertEquals(draining.reason, "enough");
  interrupt.dispose();
});
