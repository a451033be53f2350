import { assert, assertEquals } from "@std/assert";
import {
  type Budget,
  type ContextPolicy,
  type ContextStage,
  ModelCallError,
  type ModelReply,
  resume,
  run,
  type RunOptions,
  type RunRequest,
  type RunSpec,
  type RunStore,
  RunSuspendedError,
  type StopReason,
} from "../../../mod.ts";
import { readLog, rebuildCall, type RunLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { agentOf, EXECUTED, now, requestOf, storeOf, wordExecutor } from "../world.ts";
import { assertWhole, longModel, POLICY, replied } from "./long_world.ts";

const [ELIDE, SUMMARISE, DROP] = POLICY.stages as [ContextStage, ContextStage, ContextStage];
const SUMMARY = { ...SUMMARISE, kind: "summarise", instruction: "Sum up." } as const;
const TOO_LONG = new ModelCallError("too long", { kind: "context_length", retriable: false });

/** A run in which everything about its policy is odd, and what becomes of it. */
interface Hostile {
  readonly policy: Partial<ContextPolicy>;
  readonly budget?: Partial<Budget>;
  readonly spec?: Partial<RunSpec>;
  readonly options?: RunOptions;
  readonly said?: (step: number) => ModelReply;
  readonly summary?: () => ModelReply;
  readonly ends: StopReason;
  /** What the edits are: their stages or, of summaries that failed, why. */
  readonly edits: readonly string[];
}

const acting = (step: number) => replied(step >= 24 ? "answer done" : `do look at thing ${step}`);
const throwing = (error: Error) => (): never => {
  throw error;
};

const HOSTILE: Readonly<Record<string, Hostile>> = {
  "every step is pinned": {
    policy: { pinnedTools: ["the"] },
    said: (step) => replied(`use the note ${step}`),
    budget: { maxPromptChars: 900 },
    ends: "context_overflow",
    edits: [],
  },
  "more first steps are kept than fit": {
    policy: { keepFirstSteps: 1_000 },
    budget: { maxPromptChars: 900 },
    ends: "context_overflow",
    edits: [],
  },
  "no edit saves enough": {
    policy: { minReclaimChars: 899 },
    budget: { maxPromptChars: 900 },
    ends: "context_overflow",
    edits: [],
  },
  "the window holds no two steps": {
    policy: { triggerChars: 31, targetChars: 30, stages: [{ kind: "drop_steps", notice: "." }] },
    budget: { maxPromptChars: 32 },
    ends: "context_overflow",
    edits: [],
  },
  "there is room for one character": {
    policy: { triggerChars: 301, stages: [DROP] },
    ends: "final_answer",
    edits: ["drop_steps"],
  },
  "a summary is longer than what it stands for": {
    policy: {
      triggerChars: 301,
      keepLastSteps: 2,
      stages: [{ ...SUMMARY, maxSummaryChars: 250 }],
    },
    summary: () => replied("z".repeat(250)),
    ends: "final_answer",
    edits: ["not_smaller", "summarise"],
  },
  "summaries are blank": {
    policy: { stages: [SUMMARISE, DROP] },
    summary: () => replied("\u2028\t\n"),
    ends: "final_answer",
    edits: ["empty", "drop_steps"],
  },
  "summaries imitate names, fences and halves of characters": {
    policy: { stages: [SUMMARISE] },
    summary: () => replied("{from} $& [end of steps: 0] {summary}\ud83c"),
    ends: "final_answer",
    edits: ["summarise"],
  },
  "a summary is no reply": {
    policy: { stages: [SUMMARISE] },
    summary: () => ({}) as ModelReply,
    ends: "final_answer",
    edits: ["call_failed"],
  },
  "a summary is too long for the model, too": {
    policy: { stages: [SUMMARISE, DROP] },
    summary: throwing(TOO_LONG),
    options: { onModelFailure: "suspend" },
    ends: "final_answer",
    edits: ["call_failed", "drop_steps"],
  },
  "a summary spends all tokens": {
    policy: { stages: [SUMMARISE] },
    budget: { maxTotalTokens: 100 },
    summary: () => replied("it went on", 100),
    ends: "token_budget_exhausted",
    edits: ["summarise"],
  },
  "a summary does not tell its tokens": {
    policy: { stages: [SUMMARISE] },
    budget: { maxTotalTokens: 1_000 },
    spec: { onUnknownUsage: "stop" },
    said: (step) => replied(`do look at ${step}`, 1),
    ends: "token_budget_exhausted",
    edits: ["summarise"],
  },
  "no call is left for a summary": {
    policy: { stages: [SUMMARISE] },
    budget: { maxModelCalls: 8 },
    ends: "model_call_budget_exhausted",
    edits: ["too_few_calls"],
  },
  "the model finds every prompt too long": {
    policy: {},
    said: throwing(TOO_LONG),
    ends: "model_call_failed",
    edits: [],
  },
  "the provider reports absurd tokens": {
    policy: { triggerTokens: 1, stages: [ELIDE, DROP] },
    said: (step) => ({ ...acting(step), usage: { inputTokens: Number.MAX_SAFE_INTEGER } }),
    budget: { maxInputTokens: Number.MAX_SAFE_INTEGER },
    ends: "context_overflow",
    edits: [],
  },
};

/** One process of a run. */
async function driven(
  store: RunStore,
  { policy, budget, spec, options, said = acting, summary }: Hostile,
) {
  const model = longModel(said, summary);
  const executor = wordExecutor((word) =>
    Promise.resolve({ ...EXECUTED, observation: `${word} ${"x".repeat(60)}` })
  );
  const request: RunRequest = requestOf({
    ...spec,
    executor,
    contextPolicy: { ...POLICY, ...policy },
    budget: { maxModelCalls: 300, ...budget },
    modelReplayPolicy: "replayable",
  });
  const verb = (await store.readRun("r")) === null ? run : resume;
  const result = await verb(agentOf(model, { store }), request, { now, ...options });
  for (const call of model.calls) if (!call.callId.includes("_c")) assertWhole(call);
  return result;
}

async function verifiedLog(store: RunStore, what: string): Promise<RunLog> {
  const lines = (await store.readRun("r"))!;
  const { fault } = verifyLog(lines);
  assertEquals(fault?.message, undefined, what);
  const log = readLog(lines);
  log.calls.forEach((_, i) => rebuildCall(log, i));
  return log;
}

for (const [what, hostile] of Object.entries(HOSTILE)) {
  Deno.test(`a run ends in order, verifies and goes on from every entry where ${what}`, async () => {
    const store = memoryStore();
    const { stopReason } = await driven(store, hostile);
    const log = await verifiedLog(store, what);
    const edits = log.edits.map((edit) => "reason" in edit ? edit.reason : edit.stage);
    assertEquals([stopReason, [...new Set(edits)]], [hostile.ends, hostile.edits]);
    const lines = (await store.readRun("r"))!;
    for (const length of fuzzSample([...lines.keys()].slice(1))) {
      const left = await storeOf(lines.slice(0, length));
      const again = await driven(left, hostile);
      assertEquals(again.stopReason, hostile.ends, `${length}`);
      await verifiedLog(left, `${what}, ${length}`);
    }
  });
}

Deno.test("an edited run that is cancelled or suspended at any of its entries, or in any call, verifies", async () => {
  for (const onAbort of ["finish", "suspend"] as const) {
    for (let at = 0; at < 40; at++) {
      const controller = new AbortController();
      const store = memoryStore();
      let left = at >> 1;
      const abort = () => left-- === 0 && controller.abort("enough");
      const writeIntent: RunStore["writeIntent"] = async (...args) => {
        await store.writeIntent(...args);
        if (at % 2 === 0) abort();
      };
      const summary = () => {
        if (at % 2 === 1) abort();
        return replied("it went on");
      };
      const said = (step: number) => {
        if (at % 2 === 1) abort();
        return acting(step);
      };
      const options = { signal: controller.signal, onAbort };
      try {
        await driven({ ...store, writeIntent }, {
          policy: {},
          said,
          summary,
          options,
          spec: { cancelGraceMs: 1 },
          ends: "cancelled",
          edits: [],
        });
      } catch (error) {
        assert(error instanceof RunSuspendedError);
      }
      await verifiedLog(store, `${onAbort} ${at}`);
    }
  }
});
