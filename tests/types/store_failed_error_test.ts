import { assertEquals } from "@std/assert";
import { StoreFailedError, type StoreTask } from "../../types/mod.ts";

Deno.test("StoreFailedError says what the store was doing, of which run, and what is known of it", () => {
  const facts = (task: StoreTask) => {
    const { action, runId, durability, reason, message } = new StoreFailedError(task, "it is full");
    return { action, runId, durability, reason, message };
  };
  assertEquals(facts({ action: "list" }), {
    action: "list",
    runId: undefined,
    durability: "none",
    reason: "it is full",
    message: "Cannot list the runs of the store as it is full",
  });
  assertEquals(facts({ action: "read", runId: "r" }), {
    action: "read",
    runId: "r",
    durability: "none",
    reason: "it is full",
    message: 'Cannot read run "r" as it is full',
  });
  assertEquals(facts({ action: "write", runId: "r", durability: "unknown" }), {
    action: "write",
    runId: "r",
    durability: "unknown",
    reason: "it is full",
    message: 'Cannot write to run "r" as it is full',
  });
});

Deno.test("StoreFailedError cannot be written without its action, its run or what is known", () => {
  const refusedByTheCompiler: readonly StoreTask[] = [
    // @ts-expect-error: there is no action
    { runId: "r", durability: "none" },
    // @ts-expect-error: a store does no such thing
    { action: "store", runId: "r", durability: "none" },
    // @ts-expect-error: a read is that of a run
    { action: "read" },
    // @ts-expect-error: a read changes nothing
    { action: "read", runId: "r", durability: "unknown" },
    // @ts-expect-error: a write may have been done all the same
    { action: "write", runId: "r" },
    // @ts-expect-error: the runs of a store are listed, not those of a run
    { action: "list", runId: "r" },
  ];
  assertEquals(refusedByTheCompiler.length, 6);
});
