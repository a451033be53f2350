import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type ContextPolicy,
  InvalidRequestError,
  ParameterDriftError,
  resume,
  run,
} from "../../../mod.ts";
import { contextAt, readLog, verifyLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { fuzzSample } from "../../tasks/fuzz_rounds.ts";
import { agentOf, hearing, now, requestOf, storeOf, wordExecutor, WORLD_TOOLS } from "../world.ts";
import { allRecords, assertWhole, longModel, POLICY, verifiedLog } from "./long_world.ts";

const STEPS = 40;

/** Each step acts, and the last one answers. */
const acting = (step: number) => ({
  text: step >= STEPS ? "answer done" : `do look at thing ${step}`,
});

/** An action whose result is long. */
const executor = () =>
  wordExecutor((word) =>
    Promise.resolve({
      status: "executed",
      failed: false,
      observation: `${word} ${"x".repeat(100)}`,
      observationSynthetic: false,
      completed: false,
      truncatedChars: 0,
    })
  );

for (const protocol of ["text", "native"] as const) {
  Deno.test(`a run that overflows without a policy goes on with one, by all its stages (${protocol})`, async () => {
    const spec = {
      toolProtocol: protocol,
      budget: { maxPromptChars: 700, maxSteps: 100 },
      executor: executor(),
    };
    const plain = memoryStore();
    const short = await run(
      agentOf(longModel(acting), { protocol, store: plain }),
      requestOf(spec),
      { now },
    );
    assertEquals(short.stopReason, "context_overflow");
    const store = memoryStore();
    const events = hearing();
    const model = longModel(acting);
    const agent = agentOf(model, { protocol, store, events });
    const request = requestOf({ ...spec, contextPolicy: POLICY });
    const result = await run(agent, request, { now });
    assertEquals([result.stopReason, result.steps.length], ["final_answer", STEPS + 1]);
    const log = await verifiedLog(store);
    const stages = new Set(log.edits.map(({ stage, type }) => `${type} ${stage}`));
    assert(stages.has("context_edit elide_observations") && stages.has("context_edit summarise"));
    for (const call of model.calls) {
      if (!call.callId.includes("_c")) {
        assertWhole(call);
        assertEquals(
          JSON.stringify(call.messages.slice(0, 2)),
          JSON.stringify(model.calls[0]?.messages.slice(0, 2)),
        );
      }
    }
    const told = events.heard.filter(({ type }) => type === "context_edited");
    assertEquals(told.length, log.edits.filter(({ type }) => type === "context_edit").length);
  });
}

Deno.test("with its trigger never reached, a policy changes nothing of a log but the parameters", async () => {
  const lines = await Promise.all(
    [undefined, { ...POLICY, triggerChars: 90_000 }].map(async (contextPolicy) => {
      const store = memoryStore();
      const request = requestOf({ executor: executor(), ...(contextPolicy && { contextPolicy }) });
      await run(agentOf(longModel(acting), { store }), request, { now });
      return (await allRecords(store)).slice(1);
    }),
  );
  assertEquals(lines[0], lines[1]);
});

Deno.test("resume goes on from any entry of an edited run, and never edits anew", async () => {
  const spec = {
    executor: executor(),
    contextPolicy: POLICY,
    budget: { maxPromptChars: 700, maxModelCalls: 400 },
  };
  const golden = memoryStore();
  await run(agentOf(longModel(acting), { store: golden }), requestOf(spec), { now });
  const lines = (await golden.readRun("r"))!;
  for (const length of fuzzSample(lines.map((_, i) => i + 1))) {
    const store = await storeOf(lines.slice(0, length));
    const model = longModel(acting);
    const request = requestOf({ ...spec });
    const { stopReason } = await resume(agentOf(model, { store }), request, { now });
    assertEquals(stopReason, "final_answer", `${length}`);
    const { fault } = verifyLog((await store.readRun("r"))!);
    assertEquals(fault, undefined, `${length}`);
  }
});

Deno.test("resume() refuses another policy than the run began with, and names what of it is another", async () => {
  const { stages: [elide, ...stages], ...sizes } = POLICY;
  const store = memoryStore();
  const began = requestOf({ executor: executor(), contextPolicy: POLICY });
  await run(agentOf(longModel(acting), { store }), began, { now });
  const left = await storeOf((await store.readRun("r"))!.slice(0, 9));
  const longer = { ...elide, notice: "(left out)" } as ContextPolicy["stages"][0];
  const changed: ContextPolicy = { ...sizes, targetChars: 301, stages: [longer, ...stages] };
  for (const contextPolicy of [changed, undefined]) {
    const request = requestOf({ executor: executor(), ...(contextPolicy && { contextPolicy }) });
    const error = await assertRejects(
      () => resume(agentOf(longModel(acting), { store: left }), request, { now }),
      ParameterDriftError,
    );
    const keys = error.drifts.map(({ key }) => key.replace("request.context_policy.", ""));
    if (contextPolicy !== undefined) assertEquals(keys.sort(), ["stage.0.notice", "target_chars"]);
    else assert(keys.length > 9 && keys.includes("stage.2.kind"), keys.join());
  }
});

/** What a policy must not be, and what the error says. */
const REFUSED: readonly (readonly [Partial<ContextPolicy>, string])[] = [
  [{ triggerChars: 100_001 }, "at most budget.maxPromptChars, 100000"],
  [{ targetChars: 600 }, "less than triggerChars, 600"],
  [{ targetChars: 9, stages: [{ kind: "drop_steps", notice: "x" }] }, "more than the 9 characters"],
  [{ keepLastSteps: 0 }, "from 1"],
  [{ stages: [] }, "at least 1"],
  [{ pinnedTools: ["submit", "fly"] }, "one of the visible tools: submit, the"],
  [{ stages: [...POLICY.stages, ...POLICY.stages] }, "one stage of the kind summarise"],
  [{ stages: [{ kind: "drop_steps", notice: "{step}" }] }, "{from}, {to}, {chars}"],
  [{ stages: [{ kind: "elide_observations", minChars: 5, notice: "longer" }] }, "minChars, 5"],
  [
    { stages: [{ kind: "summarise", instruction: "i", notice: "x", maxSummaryChars: 5 }] },
    "{summary}",
  ],
  [{
    stages: [{ kind: "summarise", instruction: "i", notice: "{summary}", maxSummaryChars: 300 }],
  }, "targetChars, 300"],
  [{ minReclaimChars: 100_000 }, "less than budget.maxPromptChars, 100000"],
  [{ pinnedTools: ["submit", "the"] }, "leave out one of the visible tools: submit, the"],
  [{ stages: [{ kind: "drop_steps", notice: " \n" }] }, "must not be blank"],
  [
    { stages: [{ kind: "elide_observations", minChars: 100_000, notice: "x" }] },
    "less than budget.maxPromptChars, 100000",
  ],
  [
    { stages: [{ kind: "summarise", instruction: "\t", notice: "{summary}", maxSummaryChars: 5 }] },
    "instruction",
  ],
];

Deno.test("defineRun() refuses a policy that cannot work, and says what would", () => {
  for (const [change, detail] of REFUSED) {
    const contextPolicy = { ...POLICY, ...change };
    const error = assertThrows(
      () => requestOf({ contextPolicy, tools: WORLD_TOOLS }),
      InvalidRequestError,
      "contextPolicy.",
    );
    assert(error.message.includes(detail), `${error.message} and not ${detail}`);
  }
});

Deno.test("run() refuses a policy whose target the tools leave no room for", async () => {
  const contextPolicy = { ...POLICY, targetChars: 100, stages: POLICY.stages.slice(0, 1) };
  const request = requestOf({ contextPolicy, toolProtocol: "native" });
  const agent = agentOf(longModel(acting), { protocol: "native" });
  await assertRejects(() => run(agent, request, { now }), InvalidRequestError, "targetChars");
});

Deno.test("contextAt() gives history as it was shown, so that a fork begins with the prompt of its step", async () => {
  for (const protocol of ["text", "native"] as const) {
    const spec = { toolProtocol: protocol, executor: executor(), contextPolicy: POLICY } as const;
    const store = memoryStore();
    await run(agentOf(longModel(acting), { protocol, store }), requestOf(spec), { now });
    const log = readLog((await store.readRun("r"))!);
    for (const at of [5, 8, 9, 16, 40]) {
      const fork = memoryStore();
      const inherited = contextAt(log, at);
      const request = requestOf({
        ...spec,
        ...inherited,
        runId: "fork",
        contextPolicy: {
          ...POLICY,
          triggerChars: 5_000,
          targetChars: 4_000,
        },
      });
      await run(
        agentOf(longModel(() => ({ text: "answer 1" })), { protocol, store: fork }),
        request,
        { now },
      );
      const [first] = readLog((await fork.readRun("fork"))!).steps;
      assertEquals(first?.promptDigest, log.steps[at]?.promptDigest, `${at}`);
    }
  }
});
