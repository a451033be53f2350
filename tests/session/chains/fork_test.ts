import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { InvalidRequestError, resume, textMessage } from "../../../mod.ts";
import {
  childRunId,
  contextAt,
  defineRun,
  driftsOf,
  readLog,
  rebuildPrompt,
  requestInputs,
  verifyLog,
} from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { drawing } from "../../types/json_values.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import {
  agentOf,
  AMPLE,
  hearing,
  never,
  now,
  rejection,
  requestOf,
  scriptModel,
  wordExecutor,
} from "../world.ts";
import { made, type Protocol, PROTOCOLS } from "./chain_world.ts";

const bytes = (value: unknown) => JSON.stringify(value);

/** The replies of a run of so many steps, the last of which answers. */
function drawnScript(seed: number, protocol: Protocol, steps: number): readonly (string | Error)[] {
  const draw = drawing(seed);
  const action = () =>
    `do ${["a", "b 🌊", "fail", "reject", "throw", "break"][draw(6)]} ${draw(99)}`;
  return Array.from({ length: steps }, (_, step) => {
    if (step === steps - 1) return `answer ${seed}`;
    if (draw(7) === 0) return new Error("down");
    if (draw(7) === 0) return "gibberish #cut";
    const actions = protocol === "native" ? 1 + draw(3) : 1;
    return Array.from({ length: actions }, action).join("; ");
  });
}

for (const protocol of PROTOCOLS) {
  Deno.test(`contextAt(): a fork's prompts are its parent's from any step on, byte for byte, also of forks of forks, by the protocol ${protocol}`, async () => {
    for (let seed = 0; seed < fuzzRounds(900); seed++) {
      const steps = 2 + seed % 5;
      const script = drawnScript(seed, protocol, steps);
      const injections = { notes: [{ entryId: "n", content: `${seed}` }] };
      const budget = { maxConsecutiveFailures: 9 };
      const store = memoryStore();
      const parent = await made(store, protocol, script, { injections, budget });
      for (let at = 0; at < steps; at++) {
        const child = await made(store, protocol, script.slice(at), {
          runId: `r-${at}`,
          budget,
          ...contextAt(parent.log, at),
        });
        assertEquals(bytes(child.prompts), bytes(parent.prompts.slice(at)), `seed ${seed} ${at}`);
        assertEquals(
          child.log.started.contextDigest,
          parent.log.steps[at]?.promptDigest,
        );
        assertEquals(child.log.steps.length, parent.log.steps.length - at);
        assert(verifyLog(child.lines).ok);
        child.log.callEntries.forEach((_, call) =>
          assertEquals(bytes(rebuildPrompt(child.log, call)), bytes(child.prompts[call]))
        );
        const half = Math.floor(child.log.steps.length / 2);
        const grandchild = await made(store, protocol, script.slice(at + half), {
          runId: `r-${at}-${half}`,
          budget,
          ...contextAt(child.log, half),
        });
        assertEquals(bytes(grandchild.prompts), bytes(parent.prompts.slice(at + half)));
        const { derivedFrom } = grandchild.log.started;
        assertEquals(
          [derivedFrom?.runId, derivedFrom?.steps, derivedFrom?.historySteps, derivedFrom?.root],
          [`r-${at}`, half, at + half, "r"],
        );
      }
      assertEquals(await store.readRun("r"), parent.lines);
    }
  });
}

Deno.test("contextAt() cites the entry that holds the last record used, whatever came later", async () => {
  const store = memoryStore();
  const { log, lines } = await made(store, "text", ["do a", "do b", "answer 1"]);
  const hashOf = (entry: number) => JSON.parse(lines.at(entry)!).hash;
  const endOf = (step: number) =>
    lines.findIndex((line) => line.includes(`"type":"step","stepIndex":${step}`));
  const heads = [0, 1, 2].map((at) => contextAt(log, at).derivedFrom.logHead);
  assertEquals(heads, [hashOf(0), hashOf(endOf(0)), hashOf(endOf(1))]);
  assertEquals(contextAt(log).derivedFrom, {
    runId: "r",
    logHead: log.logHead,
    steps: 3,
    historySteps: 3,
    root: "r",
  });
  const earlier = readLog(lines.slice(0, endOf(1) + 1));
  assertEquals(contextAt(earlier, 1), contextAt(log, 1));
  assertEquals(contextAt(earlier).derivedFrom.logHead, hashOf(endOf(1)));
});

Deno.test("contextAt() calls nothing, and what it gives is frozen and starts a run that is resumed like any", async () => {
  const store = memoryStore();
  const executor = wordExecutor();
  const { log } = await made(store, "native", ["do a", "answer 1"], { executor });
  const called = executor.calls.length;
  const inherited = contextAt(log, 1);
  assert(Object.isFrozen(inherited) && Object.isFrozen(inherited.context.goalLevel));
  const child = await made(store, "native", ["do b", "answer 2"], { runId: "b", ...inherited });
  assertEquals(executor.calls.length, called);
  const cut = memoryStore();
  for (const [seq, line] of child.lines.slice(0, 3).entries()) {
    const { prev, hash } = JSON.parse(line);
    await (seq === 0 ? cut.startRun : cut.writeOutcome)("b", { seq, prev, hash, line });
  }
  const request = requestOf({
    runId: "b",
    toolProtocol: "native",
    ...requestInputs(child.log),
    modelReplayPolicy: "never",
  });
  const sink = hearing();
  const agent = agentOf(scriptModel(["do b", "answer 2"]), { protocol: "native", store: cut });
  assertEquals(driftsOf(child.log, agent, request), []);
  await resume({ ...agent, events: sink }, request, { now });
  const [resumed] = sink.heard;
  assert(resumed?.type === "run_resumed");
  assertEquals(resumed.derivedFrom, inherited.derivedFrom);
  const { historySteps, ...origin } = inherited.derivedFrom;
  const elsewhere = requestOf({
    ...request,
    derivedFrom: { ...origin, historySteps: historySteps + 1 },
  });
  assertEquals(driftsOf(child.log, agent, elsewhere).map(({ key }) => key), [
    "request.derived_from.history_steps",
  ]);
});

Deno.test("an edit of what a fork inherits shows from the two logs alone", async () => {
  const store = memoryStore();
  const { log } = await made(store, "text", ["do a", "do b", "answer 1"]);
  const { context, ...inherited } = contextAt(log, 2);
  const goalLevel = context.goalLevel.map((message, i) =>
    i === 2 ? textMessage("user", "[did something else]") : message
  );
  const edited = await made(store, "text", ["answer 2"], {
    runId: "b",
    ...inherited,
    context: { ...context, goalLevel },
  });
  assertNotEquals(edited.log.started.contextDigest, log.steps[2]?.promptDigest);
  assertEquals(edited.log.started.derivedFrom, inherited.derivedFrom);
});

Deno.test("contextAt() refuses what a log does not have, and names the place", async () => {
  const { log } = await made(memoryStore(), "text", ["do a", "answer 1"]);
  const tooMany = assertThrows(() => contextAt(log, 3), InvalidRequestError);
  assertEquals([tooMany.field, tooMany.message.includes("2 recorded steps")], ["steps", true]);
  for (const steps of [-1, 0.5, NaN]) {
    assertEquals(assertThrows(() => contextAt(log, steps), InvalidRequestError).field, "steps");
  }
  const bare = await made(memoryStore(), "text", ["answer 1"], {}, { recordInputs: false });
  const error = assertThrows(() => contextAt(bare.log), InvalidRequestError);
  assert(error.message.includes("recorded without its inputs"), error.message);
});

/** The log of a run whose driver died during the last action of a script. */
async function diedInAction(words: string) {
  const store = memoryStore();
  const died = Promise.withResolvers<void>();
  const executor = wordExecutor((word) => word === "die" ? (died.resolve(), never()) : undefined);
  const request = requestOf({ executor, toolProtocol: "native" });
  const agent = agentOf(["do a", words], { protocol: "native", store });
  void rejection((await import("../../../mod.ts")).run(agent, request, { now }));
  await died.promise;
  return readLog((await store.readRun("r"))!);
}

Deno.test("contextAt() hides no action of an open step that may have happened, unless it is told how far to go", async () => {
  for (const [words, actionId] of [["do die", "r/s1_a0"], ["do b; do die", "r/s1_a1"]] as const) {
    const log = await diedInAction(words);
    const error = assertThrows(() => contextAt(log), InvalidRequestError);
    assert(error.message.includes("resume the run first"), error.message);
    assert(error.message.includes(actionId), error.message);
    assertEquals(contextAt(log, 1).derivedFrom.steps, 1);
  }
});

Deno.test("defineRun() refuses an origin that cannot be, and a run the calls of steps that it did not inherit", async () => {
  const { log } = await made(memoryStore(), "native", ["do a", "do b", "answer 1"]);
  const inherited = contextAt(log, 2);
  const spec = {
    runId: "b",
    budget: AMPLE,
    executor: wordExecutor(),
    ...inherited,
  };
  const { derivedFrom } = inherited;
  for (
    const [field, value] of [
      ["derivedFrom.runId", { ...derivedFrom, runId: "b" }],
      ["derivedFrom.historySteps", { ...derivedFrom, historySteps: 1 }],
      ["derivedFrom.logHead", { ...derivedFrom, logHead: "x" }],
      ["derivedFrom.steps", { ...derivedFrom, steps: -1 }],
    ] as const
  ) {
    const error = assertThrows(
      () => defineRun({ ...spec, derivedFrom: value }),
      InvalidRequestError,
    );
    assertEquals(error.field, field);
  }
  const { historySteps: _, ...fewer } = derivedFrom;
  const error = await rejection(
    made(memoryStore(), "native", ["answer 1"], {
      ...inherited,
      runId: "b",
      derivedFrom: { ...fewer, steps: 1, historySteps: 1 },
    }),
  );
  assert(error instanceof InvalidRequestError);
  assertEquals([error.field, error.value], ["context.goalLevel[3].content[1].toolCallId", "s1_a0"]);
});

Deno.test("childRunId() gives each action a valid run id of its own", () => {
  const long = "x".repeat(128);
  const ids = ["r/s0_a0", "r/s0_a1", "r.s0_a0/s0_a0", `${long}/s0_a0`, `${long}/s0_a1`].map(
    childRunId,
  );
  assertEquals(ids.slice(0, 3), ["r.s0_a0", "r.s0_a1", "r.s0_a0.s0_a0"]);
  assertEquals(new Set(ids).size, 5);
  for (const id of ids) assert(/^[a-z0-9][a-z0-9._-]{0,127}$/.test(id), id);
  const exact = "y".repeat(128 - ".s0_a0".length);
  assertEquals(childRunId(`${exact}/s0_a0`), `${exact}.s0_a0`);
});
