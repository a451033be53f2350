import { assert, assertEquals } from "@std/assert";
import { resume, run } from "../../mod.ts";
import { readLog, rebuildPrompt, verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { fuzzRounds } from "../tasks/fuzz_rounds.ts";
import { drawn, processOf } from "./generated_runs.ts";
import { storeOf } from "./world.ts";

function assertVerified(lines: readonly string[], seed: number): void {
  const verdict = verifyLog(lines);
  assert(verdict.ok, `seed ${seed}: ${verdict.fault?.message}`);
}

const RUNS = fuzzRounds(5_000);

Deno.test("verifyLog() never cries wolf, and rebuildPrompt() gives what was sent, for generated runs", async () => {
  const reasons = new Set<string>();
  for (let seed = 0; seed < RUNS; seed++) {
    const store = memoryStore();
    const { agent, model, request, options } = processOf(drawn(seed), store);
    const { stopReason } = await run(agent, request, options);
    reasons.add(stopReason);
    const lines = (await store.readRun("r"))!;
    for (let length = 1; length <= lines.length; length++) {
      assertVerified(lines.slice(0, length), seed);
    }
    const log = readLog(lines);
    const rebuilt = log.callEntries.map((_, i) => JSON.stringify(rebuildPrompt(log, i)));
    assertEquals(rebuilt, model.calls.map(({ messages }) => JSON.stringify(messages)));
  }
  assert(reasons.size >= 10, [...reasons].join());
});

Deno.test("resume() brings every prefix of every generated run to an end that verifies, acting once", async () => {
  for (let seed = 0; seed < RUNS / 2; seed++) {
    const store = memoryStore();
    const golden = processOf(drawn(seed), store);
    await run(golden.agent, golden.request, golden.options);
    const lines = (await store.readRun("r"))!;
    for (let length = 1; length < lines.length; length++) {
      const before = lines.slice(0, length);
      const prefix = await storeOf(before);
      const { agent, executor, request, options } = processOf(drawn(seed), prefix);
      await resume(agent, request, options);
      const after = (await prefix.readRun("r"))!;
      assertEquals(after.slice(0, length), before);
      assertVerified(after, seed);
      const { open, steps } = readLog(before);
      const settled = [...steps, ...(open === undefined ? [] : [open])]
        .flatMap(({ actions }) => actions.map(({ actionId }) => actionId));
      const inQuestion = open?.openActions.map(({ actionId }) => actionId) ?? [];
      for (const { actionId, action } of executor.calls) {
        assert(!settled.includes(actionId), `seed ${seed}: ${actionId} ran twice`);
        const again = JSON.stringify(action).includes("again");
        assert(
          !inQuestion.includes(actionId) || again,
          `seed ${seed}: ${actionId} may have run twice`,
        );
      }
    }
  }
});
