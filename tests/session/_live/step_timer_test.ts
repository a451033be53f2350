import { assertEquals, assertRejects } from "@std/assert";
import { Clock } from "../../../session/_live/clock.ts";
import { StepTimer } from "../../../session/_live/step_timer.ts";

Deno.test("StepTimer counts from its start or the last restart, and leaves out what it paused for", async () => {
  let ms = 1_000;
  const timer = new StepTimer(new Clock(() => ms));
  const wait = (forMs: number) => () => {
    ms += forMs;
    return Promise.resolve(forMs);
  };
  ms += 5;
  assertEquals(timer.elapsedMs(), 5);
  assertEquals(await timer.pause(wait(700)), 700);
  ms += 2;
  await timer.pause(wait(40));
  assertEquals(timer.elapsedMs(), 7);
  timer.restart();
  assertEquals(timer.elapsedMs(), 0);
  ms -= 500;
  assertEquals(timer.elapsedMs(), 0);
});

Deno.test("pause() hands on what the wait was rejected with", async () => {
  const timer = new StepTimer(new Clock(() => 0));
  await assertRejects(() => timer.pause(() => Promise.reject(new Error("no"))), Error, "no");
});
