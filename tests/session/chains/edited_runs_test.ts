import { assert, assertEquals } from "@std/assert";
import { recordedModel } from "../../../adapters/recorded_model.ts";
import { type ContextPolicy, ModelCallError, type ModelReply, run } from "../../../mod.ts";
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

function sayAtLength(step: number): ModelReply {
  return { text: step < STEPS ? `do ${"look ".repeat(12)}${step}` : "answer 1" };
}

/** A run that shortens its prompt by every stage of its policy, and the request of another like it. */
async function longRun(
  protocol: "text" | "native",
  { word = "it went on", policy = POLICY, maxPromptChars = 100_000, said = sayAtLength }: {
    readonly word?: string;
    readonly policy?: ContextPolicy;
    readonly maxPromptChars?: number;
    readonly said?: Parameters<typeof longModel>[0];
  } = {},
) {
  const store = memoryStore();
  const model = longModel(said, () => ({ text: word }));
  const budget = { maxPromptChars };
  const request = requestOf({ toolProtocol: protocol, contextPolicy: policy, budget });
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
  const [{ log: one }, { log: other }] = [
    await longRun("text"),
    await longRun("text", { word: "it ended" }),
  ];
  const found = diffLogs(one, other);
  assertEquals(found?.what, "prompt");
  const call = one.calls.findIndex(({ stepIndex, purpose }) =>
    stepIndex === found?.step && purpose === undefined
  );
  const message = Number(/\d+/.exec(found?.path ?? "")?.[0]);
  assert(JSON.stringify(rebuildPrompt(one, call)[message]).includes("it went on"));
});

for (const protocol of PROTOCOLS) {
  Deno.test(`a fork that was begun at any entry of a run under a context policy is unchanged, whatever edits came later, by the protocol ${protocol}`, async () => {
    const { lines, log } = await longRun(protocol);
    let inPass = 0;
    for (let cut = 1; cut < lines.length; cut++) {
      const before = readLog(lines.slice(0, cut));
      const at = before.steps.length;
      const inherited = contextAt(before, at);
      const store = memoryStore();
      const agent = agentOf(["answer 2"], { protocol, store });
      const request = requestOf({ toolProtocol: protocol, runId: "b", ...inherited });
      await run(agent, request, { now });
      const fork = readLog(await store.readRun("b") ?? []);
      assertEquals(verifyOrigin(fork, log), { ok: true, added: 0 }, `entry ${cut}`);
      if (inherited.derivedFrom.logHead !== contextAt(log, at).derivedFrom.logHead) inPass += 1;
    }
    assert(inPass > 9, `${inPass}`);
  });

  Deno.test(`a run whose prompt was too long for the model replays, and is compared by the prompt that was answered, by the protocol ${protocol}`, async () => {
    const said = (word: string) => (step: number, { attempt }: { readonly attempt: number }) => {
      if (step === 10 && attempt === 1) {
        throw new ModelCallError("too long", { kind: "context_length", retriable: false });
      }
      return { text: step < 12 ? `do ${word.repeat(12)}${step}` : "answer 1" };
    };
    const policy = { ...POLICY, triggerChars: 5_000 };
    const { log, lines, request } = await longRun(protocol, { policy, said: said("look ") });
    assertEquals(log.withdrawals.length, 1);
    await replayRun(agentOf([], { protocol }), request, lines);
    const keys = recordedCalls(log).map(({ key }) => key);
    assertEquals(keys.filter((key) => key.startsWith("s10")), ["s10", "s10_c0", "s10"]);
    const summed = { policy, said: said("look "), word: "it ended" };
    const { log: other } = await longRun(protocol, summed);
    const found = diffLogs(log, other);
    assertEquals([found?.what, found?.step], ["prompt", 10]);
    assert(found?.path.endsWith("content[0].text"), found?.path);
  });
}

Deno.test("a run that ended as its prompt could not be made short enough replays, its last summary too", async () => {
  const stages = POLICY.stages.filter(({ kind }) => kind === "summarise");
  const policy = { ...POLICY, triggerChars: 1_400, targetChars: 900, stages };
  const said = (step: number) => ({
    text: `do ${"look ".repeat(12)}` + (step === 6 ? "again ".repeat(200) : ""),
  });
  const { log, lines, request } = await longRun("text", {
    policy,
    maxPromptChars: 1_500,
    said,
  });
  assertEquals(log.finished?.stopReason, "context_overflow");
  assertEquals(log.summaries.at(-1)?.stepIndex, log.steps.length);
  await replayRun(agentOf([]), request, lines);
});
