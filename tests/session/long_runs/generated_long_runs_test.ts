import { assert, assertEquals } from "@std/assert";
import {
  type ContextPolicy,
  type ContextStage,
  ModelCallError,
  resume,
  run,
  type RunOptions,
  type RunResult,
  type RunStore,
  RunSuspendedError,
} from "../../../mod.ts";
import { readLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { fuzzRounds, IS_WHOLE } from "../../tasks/fuzz_rounds.ts";
import { drawing } from "../../types/json_values.ts";
import { agentOf, requestOf, storeOf, wordExecutor } from "../world.ts";
import { assertWhole, longModel } from "./long_world.ts";
import { assertTargets, assertViews } from "./view_facts.ts";

/** A run drawn with a seed: long results, a policy, and what its model refuses as too long. */
interface Drawn {
  readonly protocol: "text" | "native";
  readonly policy: ContextPolicy;
  readonly steps: number;
  readonly limit: number;
  readonly summary: number;
  /** How many actions a step has by the native protocol. */
  readonly several: number;
}

const STAGES: Readonly<Record<ContextStage["kind"], ContextStage>> = {
  elide_observations: { kind: "elide_observations", minChars: 30, notice: "({step}: {chars})" },
  drop_steps: { kind: "drop_steps", notice: "(steps {from} to {to}, {chars})" },
  summarise: {
    kind: "summarise",
    instruction: "Sum up.",
    notice: "{summary} ({from}-{to})",
    maxSummaryChars: 60,
  },
};

function drawn(seed: number): Drawn {
  const draw = drawing(Math.imul(seed, 2_654_435_761)); // seeds that are near each other draw alike at first
  const kinds = Object.values(STAGES).sort(() => draw(2) - 0.5).slice(0, 1 + draw(3));
  const targetChars = 400 + draw(300);
  return {
    protocol: draw(2) === 0 ? "text" : "native",
    policy: {
      targetChars,
      triggerChars: targetChars + 1 + draw(500),
      keepLastSteps: 1 + draw(2),
      stages: kinds,
      ...(draw(3) === 0 && { keepFirstSteps: 1 + draw(2) }),
      ...(draw(3) === 0 && { minReclaimChars: draw(120) }),
      ...(draw(3) === 0 && { triggerTokens: 30 + draw(60) }),
      ...(draw(3) === 0 && { pinnedTools: ["the"] }),
    },
    steps: 8 + draw(16),
    limit: draw(3) === 0 ? 500 + draw(600) : Infinity,
    summary: draw(90),
    several: 1 + draw(3),
  };
}

/** What the model says is told by the step alone; whether a prompt is too long, by the prompt alone. */
function modelOf({ protocol, steps, limit, summary, several }: Drawn) {
  return longModel((step, { messages }) => {
    const size = JSON.stringify(messages).length;
    if (size > 3 * limit) {
      throw new ModelCallError("too long", { kind: "context_length", retriable: false });
    }
    if (step < steps && step % 7 === 5) throw new Error("no server");
    const actions = Array.from(
      { length: protocol === "native" ? several : 1 },
      (_, i) => step % 6 === 2 && i === 0 ? `use the note ${step}` : `do look at ${step}`,
    );
    const text = step >= steps ? "answer done" : step % 7 === 3 ? "what?" : actions.join("; ");
    return { text, usage: { inputTokens: Math.ceil(size / 30) }, providerData: [step] };
  }, ({ messages }) => ({ text: "s".repeat((summary + messages.length) % 70) }));
}

/** One process of a run. Nothing: it was suspended. */
async function drive(shape: Drawn, store: RunStore, options: RunOptions = {}): Promise<
  { readonly model: ReturnType<typeof modelOf>; readonly result: RunResult | undefined }
> {
  const model = modelOf(shape);
  const executor = wordExecutor((word) =>
    Promise.resolve({
      status: "executed",
      failed: false,
      observation: `${word} ${"x".repeat(20 + word.length * 7 % 130)}`,
      observationSynthetic: false,
      completed: false,
      truncatedChars: 0,
    })
  );
  const request = requestOf({
    toolProtocol: shape.protocol,
    contextPolicy: shape.policy,
    executor: { ...executor, replayPolicy: () => "replayable" },
    modelReplayPolicy: "replayable",
    budget: { maxPromptChars: 1_400, maxModelCalls: 2_000, maxConsecutiveFailures: 3 },
    cancelGraceMs: 1,
  });
  const agent = agentOf(model, { protocol: shape.protocol, store });
  const driven = (await store.readRun("r")) === null ? run : resume;
  try {
    return { model, result: await driven(agent, request, { now: () => 0, ...options }) };
  } catch (error) {
    if (error instanceof RunSuspendedError) return { model, result: undefined };
    throw error;
  }
}

function assertVerified(lines: readonly string[] | null, seed: number): void {
  const { fault } = verifyLog(lines ?? []);
  assert(fault === undefined, `seed ${seed}: ${fault?.message}`);
}

/** What of a result must be equal: all but how often a call was made. */
function comparable({ stopReason, answer, steps }: RunResult) {
  const facts = steps.map(({ modelAttempts: _, actions, ...step }) => ({
    ...step,
    actions: actions.map(({ attempts: _, ...action }) => action),
  }));
  return { stopReason, answer, facts };
}

Deno.test("whatever the policy, a prompt has its task, whole calls and the steps that are kept, loses only what edits take, and comes to its target, for generated runs", async () => {
  const stages = new Set<string>();
  let withTarget = 0;
  for (let seed = 0; seed < fuzzRounds(2_000); seed++) {
    const shape = drawn(seed);
    const { policy } = shape;
    const store = memoryStore();
    const { model } = await drive(shape, store);
    const lines = await store.readRun("r");
    assertVerified(lines, seed);
    const log = readLog(lines ?? []);
    for (const edit of log.edits) stages.add(`${edit.type} ${edit.stage}`);
    for (const call of model.calls) if (!call.callId.includes("_c")) assertWhole(call);
    assertViews(log, policy);
    const mayDropAll = policy.stages.some(({ kind }) => kind === "drop_steps") &&
      policy.keepFirstSteps === undefined && policy.minReclaimChars === undefined &&
      policy.pinnedTools === undefined;
    if (!mayDropAll) continue;
    withTarget += 1;
    assertTargets(log, policy);
  }
  assertEquals(stages.size, 4, [...stages].join());
  assert(withTarget > 2, `${withTarget}`);
});

Deno.test("a run that died at any entry, or was suspended anywhere, is the run that was left alone, for generated runs", async () => {
  for (let seed = 0; seed < fuzzRounds(600); seed++) {
    const shape = drawn(seed);
    const alone = memoryStore();
    const golden = await drive(shape, alone);
    assert(golden.result !== undefined);
    const lines = (await alone.readRun("r"))!;
    const draw = drawing(seed);
    for (let times = 0; times < 8; times++) {
      const store = await storeOf(lines.slice(0, 1 + draw(lines.length)));
      const controller = new AbortController();
      let calls = draw(6);
      const writeIntent: typeof store.writeIntent = async (...args) => {
        await store.writeIntent(...args);
        if (calls-- === 0) controller.abort("enough");
      };
      const options = { signal: controller.signal, onAbort: "suspend" } as const;
      const cut = await drive(shape, { ...store, writeIntent }, options);
      assertVerified(await store.readRun("r"), seed);
      const last = cut.result === undefined ? await drive(shape, store) : cut;
      assertVerified(await store.readRun("r"), seed);
      assertEquals(comparable(last.result!), comparable(golden.result), `seed ${seed}`);
      for (const { model } of [cut, last]) {
        for (const [call, prompt] of model.prompts) {
          const [id] = call.split("#");
          const same = [...golden.model.prompts].filter(([key]) => key.split("#")[0] === id);
          assert(same.some(([, given]) => given === prompt), `seed ${seed}: ${call}`);
        }
      }
    }
  }
});

/** How many steps a long run has. */
const STEPS = IS_WHOLE ? 2_000 : 500;

Deno.test("a run of many steps with long results goes to its end within its prompt, and passes are few", async () => {
  const store = memoryStore();
  const policy: ContextPolicy = {
    triggerChars: 50_000,
    targetChars: 20_000,
    keepLastSteps: 5,
    stages: [
      { kind: "elide_observations", minChars: 100, notice: "({chars} characters left out)" },
      { kind: "drop_steps", notice: "(steps {from} to {to} left out)" },
    ],
  };
  const model = longModel((step) => ({ text: step >= STEPS ? "answer done" : `do thing ${step}` }));
  const executor = wordExecutor(() =>
    Promise.resolve({
      status: "executed",
      failed: false,
      observation: "x".repeat(400),
      observationSynthetic: false,
      completed: false,
      truncatedChars: 0,
    })
  );
  const budget = { maxPromptChars: 60_000, maxSteps: 3_000, maxModelCalls: 3_000 };
  const request = requestOf({ contextPolicy: policy, budget, executor });
  const result = await run(agentOf({ ...model, call: model.call }, { store }), request, {
    now: () => 0,
  });
  assertEquals([result.stopReason, result.steps.length], ["final_answer", STEPS + 1]);
  const { edits } = readLog((await store.readRun("r"))!);
  const passes = new Set(edits.map(({ stepIndex }) => stepIndex)).size;
  assert(passes < STEPS / 40, `${passes} passes`);
});
