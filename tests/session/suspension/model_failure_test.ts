import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { type EventSink, ModelCallError, resume, run, RunSuspendedError } from "../../../mod.ts";
import { readLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, now, requestOf, scriptModel } from "../world.ts";

function failing(retriable: boolean): ModelCallError {
  const kind = retriable ? "server" : "auth";
  return new ModelCallError("no such key", { kind, retriable });
}

Deno.test("a call that fails for good ends the run at once, and the log says why", async () => {
  for (const retriable of [false, true]) {
    const store = memoryStore();
    const model = scriptModel(Array(9).fill(failing(retriable)));
    const request = requestOf({ budget: { maxConsecutiveFailures: 5 } });
    const { stopReason, steps } = await run(agentOf(model, { store }), request, { now });
    assertEquals([stopReason, model.calls.length], ["model_call_failed", retriable ? 5 : 1]);
    assertEquals(steps[0]?.error?.retriable, retriable);
    const verdict = verifyLog((await store.readRun("r"))!);
    assert(verdict.ok, verdict.fault?.message);
  }
});

Deno.test("a failed call suspends the run where that is asked for, and a resume makes it again", async () => {
  for (const error of [failing(false), failing(true), new RangeError("no server")]) {
    const store = memoryStore();
    const budget = { maxConsecutiveFailures: 1, maxModelCalls: 2 };
    const prompts: string[] = [];
    for (let times = 0; times < 3; times++) {
      const model = scriptModel(["do a", error]);
      const options = { now, onModelFailure: "suspend" } as const;
      const driven = times === 0 ? run : resume;
      const thrown = await assertRejects(
        () => driven(agentOf(model, { store }), requestOf({ budget }), options),
        RunSuspendedError,
      );
      assertStrictEquals(thrown.cause, error);
      const lines = (await store.readRun("r"))!;
      const { open, steps, counters } = readLog(lines);
      assertEquals([open?.withdrawn?.reason, steps.length], ["failed", 1]);
      assertEquals(open?.withdrawn?.error?.message, error.message);
      assertEquals([counters.modelCalls, counters.withdrawnCalls], [times + 2, times + 1]);
      assertEquals(verifyLog(lines).ok, true);
      prompts.push(model.prompts.at(-1)!);
    }
    const model = scriptModel(["", "answer 1"]);
    const result = await resume(agentOf(model, { store }), requestOf({ budget }), { now });
    assertEquals([result.stopReason, result.steps.length], ["final_answer", 2]);
    assertEquals(new Set([...prompts, ...model.prompts]).size, 1);
    assertEquals(verifyLog((await store.readRun("r"))!).ok, true);
  }
});

Deno.test("a call that fails of itself while the run drains is withdrawn with its error", async () => {
  const controller = new AbortController();
  const store = memoryStore();
  const model = scriptModel([() => {
    controller.abort("enough");
    return Promise.reject(failing(true));
  }]);
  const options = { now, signal: controller.signal, onAbort: "suspend" } as const;
  const thrown = await assertRejects(
    () => run(agentOf(model, { store }), requestOf(), options),
    RunSuspendedError,
  );
  assertEquals(thrown.cause, "enough");
  const { open } = readLog((await store.readRun("r"))!);
  assertEquals([open?.withdrawn?.reason, open?.withdrawn?.error?.message], [
    "suspended",
    "no such key",
  ]);
});

Deno.test("an abort that ends the run wins over a failure that would suspend it", async () => {
  for (const retriable of [true, false]) {
    const controller = new AbortController();
    const store = memoryStore();
    const events: Pick<EventSink, "emit"> = {
      emit: ({ type }) => {
        if (type === "model_call_finished") controller.abort("enough");
      },
    };
    const result = await run(
      agentOf(scriptModel([failing(retriable)]), { store }),
      requestOf(),
      { now, events, signal: controller.signal, onAbort: "finish", onModelFailure: "suspend" },
    );
    assertEquals([result.stopReason, result.steps.length], ["cancelled", 0]);
    assertEquals(result.counters.withdrawnCalls, 1);
    assertEquals(verifyLog((await store.readRun("r"))!).ok, true);
  }
});
