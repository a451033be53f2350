import { assertEquals, assertRejects } from "@std/assert";
import { withinTime } from "../../../adapters/_process/within_time.ts";

/** A signal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  Object.assign(signal, {
    addEventListener(...args: Parameters<typeof addEventListener>) {
      listeners.add(args[1]);
      addEventListener.apply(signal, args);
    },
    removeEventListener(...args: Parameters<typeof removeEventListener>) {
      listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    },
  });
  return { signal, controller, listeners };
}

Deno.test("withinTime() gives what comes first, and leaves no listener and no timer", async () => {
  const never = new Promise<never>(() => {});
  const { signal, controller, listeners } = countedSignal();
  for (let i = 0; i < 1_000; i++) {
    assertEquals(await withinTime(Promise.resolve(i), 1e6, signal), i);
  }
  await assertRejects(() => withinTime(Promise.reject(new Error("x")), 1e6, signal), Error, "x");
  assertEquals(await withinTime(never, 1, signal), "timed_out");
  const aborted = withinTime(never, 1e6, signal);
  assertEquals(listeners.size, 1);
  controller.abort();
  assertEquals(await aborted, "aborted");
  assertEquals(await withinTime(never, 1e6, signal), "aborted");
  assertEquals(listeners.size, 0);
});
