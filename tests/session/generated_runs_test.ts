import { assert, assertEquals } from "@std/assert";
import { type Budget, resume, run, type RunOptions, type RunStore } from "../../mod.ts";
import { readLog, rebuildPrompt, verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { drawing } from "../types/json_values.ts";
import { fuzzRounds } from "../tasks/fuzz_rounds.ts";
import { agentOf, requestOf, type Said, scriptModel, storeOf, wordExecutor } from "./world.ts";

const WORDS = [
  "a",
  "b 🌊",
  "alone",
  "fail",
  "reject",
  "refuse",
  "break",
  "throw",
  "again c",
  "complete",
];

/** A run drawn with a seed: its script, protocol, budget, policies. */
interface Drawn {
  readonly script: readonly Said[];
  readonly protocol: "text" | "native";
  readonly request: NonNullable<Parameters<typeof requestOf>[0]>;
  readonly options: RunOptions;
}

function drawn(seed: number): Drawn {
  const draw = drawing(seed);
  const protocol = draw(2) === 0 ? "text" : "native";
  const action = () => `${draw(8) === 0 ? "use submit" : "do"} ${WORDS[draw(WORDS.length)]}`;
  const script = Array.from({ length: 8 }, (): Said => {
    const kind = draw(8);
    if (kind === 0) return new Error("down");
    if (kind === 1) return "gibberish #and more";
    if (kind === 2 && draw(3) === 0) return "answer 1";
    const count = protocol === "native" ? 1 + draw(4) : 1 + Math.floor(draw(10) / 9);
    const text = Array.from({ length: count }, action).join("; ");
    return { text, usage: { inputTokens: draw(9), outputTokens: draw(9) }, providerData: [seed] };
  });
  const budget: Partial<Budget> = {
    maxSteps: draw(9),
    maxModelCalls: 3 + draw(9),
    maxPromptChars: draw(4) === 0 ? 60 : 10_000,
    maxConsecutiveFailures: 1 + draw(3),
    ...(draw(3) === 0 && { maxTotalTokens: 40 }),
    ...(draw(3) === 0 && { maxActiveMs: 200 }),
    ...(draw(3) === 0 && { maxIdenticalActions: 2 }),
    ...(draw(4) === 0 && { maxRepeatedCycle: 2 }),
    ...(draw(4) === 0 && { maxRejectedActions: 2 }),
  };
  const modelReplayPolicy = draw(2) === 0 ? "never" : "replayable";
  const injections = { c: [{ entryId: "e", content: String(seed) }] };
  const approveAction = {
    id: "me",
    decide: ({ actionId }: { readonly actionId: string }) =>
      actionId.endsWith("a1") ? { allow: false } as const : { allow: true } as const,
  };
  return {
    script,
    protocol,
    request: {
      toolProtocol: protocol,
      budget,
      modelReplayPolicy,
      injections,
      maxConcurrentActions: 1 + draw(3),
    },
    options: draw(3) === 0 ? { approveAction } : {},
  };
}

/** One process of a drawn run; its clock goes on 10 ms with each look at it. */
function processOf({ script, protocol, request, options }: Drawn, store: RunStore) {
  let ms = 0;
  const model = scriptModel(script);
  const executor = wordExecutor();
  const agent = agentOf(model, { protocol, store });
  const all = { ...options, now: () => ms += 10 };
  return { agent, model, executor, request: requestOf({ ...request, executor }), options: all };
}

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
  for (let seed = 0; seed < RUNS; seed++) {
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
