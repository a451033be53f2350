import { assert, assertEquals, assertRejects } from "@std/assert";
import { run, type RunStore, RunSuspendedError } from "../../../mod.ts";
import { readLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, never, now, requestOf, wordExecutor } from "../world.ts";
import { actionsOf, endingAs, NATIVE, runOf } from "./batch_world.ts";

Deno.test("a suspended run drains what runs at once, and resumes what was cut: each by its own policy", async () => {
  const controller = new AbortController();
  const options = { signal: controller.signal, onAbort: "suspend" } as const;
  const executor = endingAs([], {
    "again b": () => never(),
    "never c": () => never(),
    "again d": () => never(),
    a: () => (controller.abort("enough"), wordExecutor().execute({ action: { do: "a" } } as never)),
  });
  const decision = "do again b; do never c; do again d; do a; do e";
  const spec = { executor };
  const suspended = await runOf(decision, spec, options);
  assert(suspended.outcome instanceof RunSuspendedError);
  assertEquals(actionsOf(suspended.lines), ["i0 i1 i2 i3", "r3"]);
  const { open } = suspended.log;
  assertEquals(open?.openActions.map(({ ordinal }) => ordinal), [0, 1, 2]);
  assertEquals([open?.openAction?.ordinal, open?.awaits], [0, "action_result"]);
  const words = wordExecutor();
  const resumed = await runOf(decision, { executor: words }, {}, suspended.store);
  assertEquals(actionsOf(resumed.lines).slice(2), ["r1 i0 i2", "r0", "r2 r4 S", "S"]);
  const { actions, outcome } = resumed.log.steps[0]!;
  assertEquals(outcome, "action_outcome_unknown");
  assertEquals(
    actions.map(({ status, attempts }) => [status, attempts]),
    [
      ["executed", 2],
      ["unknown", 1],
      ["executed", 2],
      ["executed", 1],
      ["not_executed", 0],
    ],
  );
});

Deno.test("a resolver is asked of each open action that must not be repeated, in order", async () => {
  const controller = new AbortController();
  const options = { signal: controller.signal, onAbort: "suspend" } as const;
  const hung = () => (controller.abort("enough"), never());
  const decision = "do a; do b; do c";
  const executor = endingAs([], { a: hung, b: hung, c: hung });
  const { store } = await runOf(decision, { executor }, options);
  const asked: string[] = [];
  const resolveUnknownAction = {
    id: "ops",
    resolve: ({ actionId }: { actionId: string }) => {
      asked.push(actionId);
      return { kind: "did_not_happen" } as const;
    },
  };
  const resumed = await runOf(
    decision,
    { executor: wordExecutor() },
    { resolveUnknownAction },
    store,
  );
  assertEquals(asked, ["r/s0_a0", "r/s0_a1", "r/s0_a2"]);
  assertEquals(actionsOf(resumed.lines).slice(1, -1), ["i0", "r0 i1", "r1 i2", "r2 S"]);
  assertEquals(resumed.log.finished?.stopReason, "final_answer");
});

Deno.test("what was granted is asked again on a resume, and what was denied is not", async () => {
  const controller = new AbortController();
  const answers = new Map<string, number>();
  const approveAction = (last: boolean) => ({
    id: "me",
    decide: ({ actionId, signal }: { actionId: string; signal: AbortSignal }) => {
      answers.set(actionId, (answers.get(actionId) ?? 0) + 1);
      if (actionId.endsWith("1")) return { allow: false } as const;
      if (last || actionId.endsWith("0")) return { allow: true } as const;
      controller.abort("enough");
      return new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true })
      );
    },
  });
  const options = { signal: controller.signal, onAbort: "suspend" } as const;
  const decision = "do a; do b; do c";
  const first = await runOf(decision, {}, { ...options, approveAction: approveAction(false) });
  assertEquals(actionsOf(first.lines), ["r1"]);
  const { lines } = await runOf(decision, {}, { approveAction: approveAction(true) }, first.store);
  assertEquals(actionsOf(lines), ["r1", "i0 i2", "r0", "r2 S", "S"]);
  assertEquals([...answers.values()], [2, 1, 2]);
});

Deno.test("actions that had not started when the run was suspended are all withdrawn, and run on a resume", async () => {
  const controller = new AbortController();
  const memory = memoryStore();
  const writeIntent: RunStore["writeIntent"] = async (...args) => {
    await memory.writeIntent(...args);
    if (args[1].line.includes("action_intent")) controller.abort("enough");
  };
  const options = { signal: controller.signal, onAbort: "suspend" } as const;
  const executor = wordExecutor();
  const first = await runOf("do a; do b", { executor }, options, { ...memory, writeIntent });
  assertEquals(actionsOf(first.lines), ["i0 i1", "w0", "w1"]);
  assertEquals(executor.calls, []);
  const { lines } = await runOf("do a; do b", { executor }, {}, memory);
  assertEquals(actionsOf(lines).slice(3), ["i0 i1", "r0", "r1 S", "S"]);
  assertEquals(executor.calls.map(({ attempt }) => attempt), [2, 2]);
});

Deno.test("a cancelled run knows which of several actions settled and which did not", async () => {
  const controller = new AbortController();
  const executor = endingAs([], {
    hung: () => never(),
    last: () => {
      controller.abort("enough");
      return wordExecutor().execute({ action: { do: "last" } } as never);
    },
  });
  const options = { signal: controller.signal };
  const { log } = await runOf("do hung; do last; do hung; do alone", { executor }, options);
  const [step] = log.steps;
  assertEquals(step?.actions.map(({ status }) => status), [
    "unknown",
    "executed",
    "unknown",
    "not_executed",
  ]);
  assertEquals(log.finished?.abandoned, ["r/s0_a0", "r/s0_a2"]);
});

Deno.test("a store that fails leaves no action running behind the run's back", async () => {
  const memory = memoryStore();
  let ended = 0;
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ended++;
    return await wordExecutor().execute({ action: { do: "slow" } } as never);
  };
  const executor = endingAs([], { slow });
  const writeOutcome = () => Promise.reject(new Error("the disk is full"));
  const agent = agentOf(["do a; do slow"], {
    store: { ...memory, writeOutcome },
    protocol: "native",
  });
  await assertRejects(() =>
    run(agent, requestOf({ ...NATIVE, executor, maxConcurrentActions: 2 }), { now })
  );
  assertEquals(ended, 1);
  assertEquals(readLog((await memory.readRun("r"))!).open?.openActions.length, 2);
});
