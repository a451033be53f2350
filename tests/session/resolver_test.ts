import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  type ActionRecord,
  resume,
  run,
  type RunOptions,
  type RunResult,
  type RunStore,
  type StepRecord,
  type UnknownAction,
  type UnknownActionAnswer,
} from "../../mod.ts";
import { PortContractError } from "../../types/mod.ts";
import { verifyLog } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  AT,
  denialOf,
  EXECUTED,
  hearing,
  never,
  now,
  recordsOf,
  requestOf,
  scriptModel,
  wordExecutor,
} from "./world.ts";

const SCRIPT = ["use submit a; do b", "answer 1"];
const NATIVE = { toolProtocol: "native" } as const;

/** A store whose run died during its first action. */
async function deadDuringAction(script: readonly string[] = SCRIPT): Promise<RunStore> {
  const store = memoryStore();
  const died = Promise.withResolvers<void>();
  const executor = wordExecutor(() => {
    died.resolve();
    return never();
  });
  const agent = agentOf(script, { store, protocol: "native" });
  void run(agent, requestOf({ executor, ...NATIVE }), { now });
  await died.promise;
  return store;
}

interface Resumed {
  readonly result: RunResult;
  readonly action: ActionRecord;
  readonly step: StepRecord;
  readonly executed: readonly string[];
  readonly lines: readonly string[];
}

async function resumed(
  store: RunStore,
  options: RunOptions,
  script: readonly string[] = SCRIPT,
): Promise<Resumed> {
  const executor = wordExecutor();
  const agent = agentOf(script, { store, protocol: "native" });
  const result = await resume(agent, requestOf({ executor, ...NATIVE }), { now, ...options });
  const lines = (await store.readRun("r"))!;
  const verdict = verifyLog(lines);
  assert(verdict.ok, verdict.fault?.message);
  const step = result.steps[0]!;
  const executed = executor.calls.map(({ actionId, attempt }) => `${actionId} ${attempt}`);
  return { result, step, action: step.actions[0]!, executed, lines };
}

function resolving(
  resolve: (action: UnknownAction) => unknown,
): Required<Pick<RunOptions, "resolveUnknownAction">> {
  const answering = (action: UnknownAction) => resolve(action) as UnknownActionAnswer;
  return { resolveUnknownAction: { id: "ops", resolve: answering } };
}

Deno.test("resume() asks what became of an unknown action, with all that is known of it", async () => {
  const asked: unknown[] = [];
  await resumed(
    await deadDuringAction(),
    resolving((request) => {
      const { signal, ...rest } = request;
      assert(Object.isFrozen(request) && !signal.aborted);
      asked.push({ ...rest });
      return { kind: "unknown" };
    }),
  );
  assertEquals(asked, [{
    runId: "r",
    stepIndex: 0,
    ordinal: 0,
    actionId: "r/s0_a0",
    action: { tool: "submit", do: "a" },
    toolName: "submit",
    attempt: 1,
    replayPolicy: "never",
    at: AT,
  }]);
});

Deno.test("resume() records what happened as the action's own outcome, and its tool's mark", async () => {
  const outcome = { ...EXECUTED, observation: "it was done" };
  const { result, step, action, executed } = await resumed(
    await deadDuringAction(),
    resolving(() => ({ kind: "happened", outcome })),
  );
  assertEquals([action.status, action.observation, action.resolvedBy], [
    "executed",
    "it was done",
    "ops",
  ]);
  assertEquals({
    toolCompletes: action.toolCompletes,
    attempts: action.attempts,
    outcome: step.outcome,
  }, { toolCompletes: true, attempts: 1, outcome: "acted" });
  assertEquals([executed, result.stopReason], [[], "tool_completed"]);
  assertEquals(step.actions[1]?.status, "not_executed");
});

Deno.test("resume() tries again what did not happen, under the same id, and says who said so", async () => {
  const { action, executed, lines } = await resumed(
    await deadDuringAction(),
    resolving(() => ({ kind: "did_not_happen" })),
  );
  assertEquals(executed, ["r/s0_a0 2"]);
  assertEquals(
    { status: action.status, attempts: action.attempts, resolvedBy: action.resolvedBy },
    { status: "executed", attempts: 2, resolvedBy: "ops" },
  );
  const intents = recordsOf(lines).flat().filter((record) => record.type === "action_intent");
  assertEquals(intents.map(({ attempt, resolvedBy }) => ({ attempt, resolvedBy })), [
    { attempt: 1, resolvedBy: undefined },
    { attempt: 2, resolvedBy: "ops" },
  ]);
});

Deno.test("resume() asks for approval again before it tries again", async () => {
  const store = memoryStore();
  const died = Promise.withResolvers<void>();
  const dying = wordExecutor(() => {
    died.resolve();
    return never();
  });
  const answers = [true, false];
  const approveAction = {
    id: "me",
    decide: () => ({ allow: answers.shift()! }) as { allow: true },
  };
  const agent = agentOf(["do a", "answer 1"], { store });
  void run(agent, requestOf({ executor: dying }), { now, approveAction });
  await died.promise;
  const executor = wordExecutor();
  const options = { now, approveAction, ...resolving(() => ({ kind: "did_not_happen" })) };
  const { steps } = await resume(agent, requestOf({ executor }), options);
  const [action] = steps[0]!.actions;
  assertEquals({
    status: action?.status,
    attempts: action?.attempts,
    resolvedBy: action?.resolvedBy,
  }, { status: "not_executed", attempts: 1, resolvedBy: "ops" });
  assertEquals([denialOf(action), executor.calls.length], [{ by: "me" }, 0]);
});

Deno.test("resume() records as unknown what nobody knows, and the run goes on", async () => {
  for (
    const [options, by] of [[{}, undefined], [
      resolving(() => ({ kind: "unknown" })),
      "ops",
    ]] as const
  ) {
    const { result, step, action, executed } = await resumed(await deadDuringAction(), options);
    assertEquals({
      status: action.status,
      resolvedBy: action.resolvedBy,
      executed: executed.length,
    }, { status: "unknown", resolvedBy: by, executed: 0 });
    assertEquals({ observationSynthetic: action.observationSynthetic, outcome: step.outcome }, {
      observationSynthetic: true,
      outcome: "action_outcome_unknown",
    });
    assertEquals([step.actions[1]?.status, result.stopReason], ["not_executed", "final_answer"]);
    assert(action.observation.includes("whether it took effect is unknown"));
  }
});

Deno.test("resume() replays what may be replayed both as recorded and now, and asks nobody", async () => {
  const script = ["do again a; do b", "answer 1"];
  const options = resolving(() => {
    throw new Error("it was asked");
  });
  const { action, executed } = await resumed(await deadDuringAction(script), options, script);
  assertEquals(executed, ["r/s0_a0 2", "r/s0_a1 1"]);
  assertEquals(
    { status: action.status, attempts: action.attempts, resolvedBy: action.resolvedBy },
    { status: "executed", attempts: 2, resolvedBy: undefined },
  );
});

Deno.test("resume() replays nothing that only the present policy, or only the recorded one, allows", async () => {
  for (const word of ["again a", "a"]) {
    const script = [`do ${word}`, "answer 1"];
    const store = await deadDuringAction(script);
    const executor = wordExecutor();
    const opposite = {
      ...executor,
      replayPolicy: () => word === "a" ? "replayable" as const : "never" as const,
    };
    const agent = agentOf(script, { store, protocol: "native" });
    const { steps } = await resume(agent, requestOf({ executor: opposite, ...NATIVE }), { now });
    assertEquals([steps[0]?.actions[0]?.status, executor.calls.length], ["unknown", 0]);
  }
});

const JUNK: readonly (readonly [unknown, string])[] = [
  [undefined, "$"],
  ["unknown", "$"],
  [{ kind: "perhaps" }, "$.kind"],
  [{ kind: "happened" }, "$.outcome"],
  [{ kind: "happened", outcome: { ...EXECUTED, status: "unknown" } }, "$.outcome.status"],
  [{ kind: "unknown", more: 1 }, "$.more"],
];

Deno.test("resume() throws a resolution that is none, or a callback's throw, and writes nothing", async () => {
  const store = await deadDuringAction();
  const before = await store.readRun("r");
  for (const [answer, path] of JUNK) {
    const error = await assertRejects(
      () => resumed(store, resolving(() => answer)),
      PortContractError,
    );
    assertEquals([error.port, error.path], ["resolveUnknownAction.resolve", path]);
    assertStringIncludes(error.message, '(it must be {kind: "happened", outcome}, ');
  }
  const throwing = resolving(() => {
    throw new RangeError("own bug");
  });
  await assertRejects(() => resumed(store, throwing), RangeError, "own bug");
  assertEquals(await store.readRun("r"), before);
});

Deno.test("resume() that is aborted while it asks records what the answer tells, and tries nothing", async () => {
  const answers: readonly (readonly [unknown, string])[] = [
    [{ kind: "happened", outcome: EXECUTED }, "executed/1 acted tool_completed"],
    [{ kind: "did_not_happen" }, "not_executed/1 cancelled cancelled"],
    [{ kind: "unknown" }, "unknown/1 action_outcome_unknown cancelled"],
    [never(), "unknown/1 cancelled cancelled"],
  ];
  for (const [answer, expected] of answers) {
    const store = await deadDuringAction();
    const controller = new AbortController();
    const executor = wordExecutor();
    const options = resolving(() => {
      controller.abort("enough");
      return answer;
    });
    const events = hearing();
    const agent = agentOf(scriptModel(SCRIPT), { store, protocol: "native", events });
    const { signal } = controller;
    await resume(agent, requestOf({ executor, ...NATIVE }), { now, signal, ...options })
      .catch((error) => assertEquals(error, "enough"));
    const finished = events.heard.at(-1);
    const step = events.heard.find((event) => event.type === "step_recorded");
    assert(finished?.type === "run_finished" && step?.type === "step_recorded");
    const [{ status, attempts }] = step.step.actions as [ActionRecord];
    assertEquals(
      `${status}/${attempts} ${step.step.outcome} ${finished.stopReason}`,
      expected,
    );
    assertEquals(executor.calls.length, 0);
    assert(verifyLog((await store.readRun("r"))!).ok);
  }
});
