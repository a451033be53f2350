import { assert, assertEquals } from "@std/assert";
import { resume, run, RunConflictError } from "../../mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { agentOf, now, rejection, requestOf, type Said, wordExecutor } from "./world.ts";

const RUNS = 200;

/** What run `i` does: its own replies, told by the call's id; each call takes a turn of its own length. */
const byRunId: Said = async ({ callId, messages }) => {
  const [, i, step] = /^run-(\d+)\/s(\d+)$/.exec(callId)!;
  for (let turn = 0; turn < Number(i) % 7; turn++) await Promise.resolve();
  if (step === "2") return { text: `answer ${i} of ${messages.length}` };
  return { text: `do ${i}-${step}`, usage: { inputTokens: Number(i) } };
};

Deno.test("run() makes of 200 concurrent runs on one agent exactly the logs of 200 single runs", async () => {
  const script = [byRunId, byRunId, byRunId];
  const requestFor = (i: number) =>
    requestOf({ runId: `run-${i}`, modelBinding: { i: String(i) } });
  const together = memoryStore();
  const agent = agentOf(script, { store: together });
  const results = await Promise.all(
    Array.from({ length: RUNS }, (_, i) => run(agent, requestFor(i), { now })),
  );
  for (let i = 0; i < RUNS; i++) {
    const store = memoryStore();
    const single = await run(agentOf(script, { store }), requestFor(i), { now });
    assertEquals(results[i], single);
    assertEquals(await together.readRun(`run-${i}`), await store.readRun(`run-${i}`));
  }
  assertEquals(new Set(results.map(({ logHead }) => logHead)).size, RUNS);
});

Deno.test("resume() by two drivers at once: one goes on, the other stops before it acts", async () => {
  const store = memoryStore();
  const signal = AbortSignal.abort();
  const first = agentOf(["do a", "answer 1"], { store });
  await run(first, requestOf(), { now, signal, onAbort: "suspend" }).catch(() => {});
  const executors = [wordExecutor(), wordExecutor()];
  const [one, other] = await Promise.allSettled(
    executors.map((executor) =>
      resume(agentOf(["do a", "answer 1"], { store }), requestOf({ executor }), { now })
    ),
  );
  const rejected = [one, other].filter((outcome) => outcome?.status === "rejected");
  assertEquals(rejected.length, 1);
  assert(rejected[0]?.reason instanceof RunConflictError);
  assertEquals(executors.map(({ calls }) => calls.length).sort(), [0, 1]);
});

Deno.test("run() that was overtaken by a resume is refused at its next write and stops", async () => {
  const store = memoryStore();
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const slow: Said = async () => {
    asked.resolve();
    await gate.promise;
    return { text: "do a" };
  };
  const executor = wordExecutor();
  const overtaken = run(agentOf([slow, "answer old"], { store }), requestOf({ executor }), { now });
  await asked.promise;
  const result = await resume(agentOf(["-", "answer new"], { store }), requestOf(), { now });
  assertEquals(result.answer, "new");
  const lines = await store.readRun("r");
  gate.resolve();
  const error = await rejection(overtaken);
  assert(error instanceof RunConflictError, String(error));
  assertEquals([await store.readRun("r"), executor.calls.length], [lines, 0]);
});

Deno.test("run() hands out messages that never change, and stores nothing on the agent", async () => {
  const prompts: (readonly [string, readonly unknown[]])[] = [];
  const model = {
    call: ({ callId, messages }: { callId: string; messages: readonly unknown[] }) => {
      assert(Object.isFrozen(messages));
      prompts.push([JSON.stringify(messages), messages]);
      return Promise.resolve({ text: callId.endsWith("s4") ? "answer 1" : "do a" });
    },
    parameters: () => ({}),
  };
  const agent = agentOf(model);
  const before = Object.entries(agent);
  await run(agent, requestOf(), { now });
  for (const [text, messages] of prompts) assertEquals(JSON.stringify(messages), text);
  assertEquals(Object.entries(agent), before);
  assert(Object.isFrozen(agent));
});
