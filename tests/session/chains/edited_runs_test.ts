import { assert, assertEquals } from "@std/assert";
import { recordedModel } from "../../../adapters/recorded_model.ts";
import { run } from "../../../mod.ts";
import {
  contextAt,
  diffLogs,
  readLog,
  rebuildPrompt,
  recordedCalls,
  verifyLog,
  verifyOrigin,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { replayRun } from "../../contract/mod.ts";
import { longModel, POLICY } from "../long_runs/long_world.ts";
import { agentOf, now, requestOf } from "../world.ts";
import { PROTOCOLS } from "./chain_world.ts";

const STEPS = 24;

/** A run that shortens its prompt by every stage of its policy, and the request of another like it. */
async function longRun(protocol: "text" | "native", word = "it went on") {
  const store = memoryStore();
  const model = longModel(
    (step) => ({ text: step < STEPS ? `do ${"look ".repeat(12)}${step}` : "answer 1" }),
    () => ({ text: word }),
  );
  const request = requestOf({ toolProtocol: protocol, contextPolicy: POLICY });
  await run(agentOf(model, { protocol, store }), request, { now });
  const lines = await store.readRun("r") ?? [];
  assert(verifyLog(lines).ok);
  return { lines, log: readLog(lines), request };
}

for (const protocol of PROTOCOLS) {
  Deno.test(`contextAt() gives what the model saw under a context policy: a fork's first prompt is its parent's, by the protocol ${protocol}`, async () => {
    const { log } = await longRun(protocol);
    assert(log.edits.length > 3);
    for (const [at, step] of log.steps.entries()) {
      const store = memoryStore();
      const agent = agentOf(["answer 2"], { protocol, store });
      await run(agent, requestOf({ toolProtocol: protocol, runId: "b", ...contextAt(log, at) }), {
        now,
      });
      const fork = readLog(await store.readRun("b") ?? []);
      assertEquals(fork.steps[0]?.promptDigest, step.promptDigest);
      assertEquals(verifyOrigin(fork, log), { ok: true, added: 0 });
    }
  });

  Deno.test(`contextAt() gives the whole history where it is asked for, and verifyOrigin() finds it unchanged, by the protocol ${protocol}`, async () => {
    const { log } = await longRun(protocol);
    const at = log.steps.length - 1;
    const inherited = contextAt(log, at, { whole: true });
    const said = JSON.stringify(inherited.context.goalLevel);
    for (const { historyText = "" } of log.steps.slice(0, at)) {
      assert(said.includes(JSON.stringify(historyText).slice(1, -1)));
    }
    assert(inherited.context.goalLevel.length > contextAt(log, at).context.goalLevel.length);
    const store = memoryStore();
    const agent = agentOf(["answer 2"], { protocol, store });
    await run(agent, requestOf({ toolProtocol: protocol, runId: "b", ...inherited }), { now });
    const fork = readLog(await store.readRun("b") ?? []);
    assertEquals(verifyOrigin(fork, log), { ok: true, added: 0 });
  });

  Deno.test(`a run under a context policy replays, its summaries too, by the protocol ${protocol}`, async () => {
    const { log, lines, request } = await longRun(protocol);
    const calls = recordedCalls(log);
    assert(calls.some(({ key }) => /^s\d+_c0$/.test(key)));
    const store = memoryStore();
    const model = recordedModel(calls, { parameters: log.settings.model });
    await run(agentOf(model, { protocol, store }), request, { now });
    assertEquals([model.mismatch, model.unused], [undefined, []]);
    assertEquals(diffLogs(log, readLog(await store.readRun("r") ?? [])), undefined);
    await replayRun(agentOf([], { protocol }), request, lines);
  });
}

Deno.test("diffLogs() names the message where two summaries part", async () => {
  const [{ log: one }, { log: other }] = [await longRun("text"), await longRun("text", "it ended")];
  const found = diffLogs(one, other);
  assertEquals(found?.what, "prompt");
  const call = one.calls.findIndex(({ stepIndex, purpose }) =>
    stepIndex === found?.step && purpose === undefined
  );
  const message = Number(/\d+/.exec(found?.path ?? "")?.[0]);
  assert(JSON.stringify(rebuildPrompt(one, call)[message]).includes("it went on"));
});
