import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import {
  type ActionExecutor,
  type DecisionInterpreter,
  type ModelReply,
  resume,
  run,
  RunLogCorruptError,
  type RunStore,
  textMessage,
} from "../../../mod.ts";
import {
  actionFate,
  digest,
  frameLogLine,
  PortContractError,
  type UnexecutedOutcome,
} from "../../../types/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import {
  agentOf,
  EXECUTED,
  hearing,
  now,
  recordsOf,
  requestOf,
  shapeOf,
  wordExecutor,
} from "../world.ts";

/** A value that is nested so deep. */
function nested(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

/** Replies that are none, with the path that is named. */
const BAD_REPLIES: readonly (readonly [unknown, string])[] = [
  [undefined, "$"],
  [null, "$"],
  ["text", "$"],
  [{}, "$.text"],
  [{ text: 5 }, "$.text"],
  [{ text: "", more: 1 }, "$.more"],
  [{ text: "", usage: { inputTokens: "5" } }, "$.usage.inputTokens"],
  [{ text: "", usage: { inputTokens: NaN } }, "$.usage.inputTokens"],
  [{ text: "", usage: { inputTokens: 1, outputTokens: 2 ** 53 } }, "$.usage.outputTokens"],
  [{ text: "", usage: { cachedInputTokens: 1e308 } }, "$.usage.cachedInputTokens"],
  [{ text: "", finishReason: "length?" }, "$.finishReason"],
  [{ text: "", toolCalls: [{ name: "a", arguments: {} }] }, "$.toolCalls[0].rawArguments"],
  [{ text: "", providerData: { at: new Date() } }, "$.providerData.at"],
  [{ text: "", providerData: 1n }, "$.providerData"],
  [{
    get text() {
      throw new Error("hostile");
    },
  }, "$"],
];

Deno.test("run() records a reply that is none as a failed call, naming the path", async () => {
  for (const [reply, path] of BAD_REPLIES) {
    const events = hearing();
    const model = { call: () => Promise.resolve(reply as ModelReply), parameters: () => ({}) };
    const request = requestOf({ budget: { maxConsecutiveFailures: 1 } });
    const { stopReason, steps } = await run(agentOf(model, { events }), request, { now });
    assertEquals([stopReason, steps[0]?.outcome], ["model_call_failed", "model_call_failed"]);
    assertEquals(steps[0]?.error?.name, "PortContractError");
    assert(steps[0]?.error?.message.includes("model.call"), steps[0]?.error?.message);
    assert(steps[0]?.error?.message.endsWith(`: ${path}`), steps[0]?.error?.message);
    const finished = events.heard.find(({ type }) => type === "model_call_finished");
    assertEquals(finished?.type === "model_call_finished" && finished.outcome, "failed");
  }
});

const action = (value: unknown) => ({
  decision: { kind: "action", actions: [value] },
  historyText: "",
});

/** Interpretations that are none, with the path that is named. */
const BAD_INTERPRETATIONS: readonly (readonly [unknown, string])[] = [
  [undefined, "$"],
  [{ decision: { kind: "final_answer", answer: 1 } }, "$.historyText"],
  [{ decision: { kind: "ask_human" }, historyText: "" }, "$.decision.kind"],
  [{ decision: { kind: "final_answer" }, historyText: "" }, "$.decision.answer"],
  [{ decision: { kind: "invalid" }, historyText: "" }, "$.decision.explanation"],
  [
    { decision: { kind: "invalid", explanation: "no", synthetic: true }, historyText: "" },
    "$.decision.synthetic",
  ],
  [{ decision: { kind: "action", actions: [] }, historyText: "" }, "$.decision.actions"],
  [action({}), "$.decision.actions[0].action"],
  [
    action({ action: nested(997) }),
    `$.decision.actions[0].action${"[0]".repeat(16)}.(980 more)`,
  ],
  [action({ action: [() => 1] }), "$.decision.actions[0].action[0]"],
  [
    action({ action: 1, toolCall: { name: 5, arguments: 1 } }),
    "$.decision.actions[0].toolCall.name",
  ],
];

Deno.test("run() throws what an interpreter must not give, names the path, and keeps the reply", async () => {
  for (const [interpretation, path] of BAD_INTERPRETATIONS) {
    const store = memoryStore();
    const interpreter = { interpret: () => interpretation, parameters: () => ({}) };
    const agent = agentOf(["hello"], { store, interpreter: interpreter as DecisionInterpreter });
    const error = await assertRejects(() => run(agent, requestOf(), { now }), PortContractError);
    assertEquals([error.port, error.path], ["interpreter.interpret", path]);
    assertEquals(shapeOf(await store.readRun("r")).at(-1), "model_reply");
  }
});

Deno.test("run() needs a tool call of each action by the native protocol", async () => {
  const interpreter = { interpret: () => action({ action: 1 }), parameters: () => ({}) };
  const agent = agentOf(["hello"], { interpreter: interpreter as DecisionInterpreter });
  const request = requestOf({ toolProtocol: "native" });
  const error = await assertRejects(() => run(agent, request, { now }), PortContractError);
  assertEquals(error.path, "$.decision.actions[0].toolCall");
});

const BROKEN = "The environment failed while the action was running.";
const REFUSED: UnexecutedOutcome<"not_executed"> = {
  status: "not_executed",
  observation: "no",
  observationSynthetic: true,
  truncatedChars: 0,
};

/** Outcomes that are none, with the path that is named. */
const BAD_OUTCOMES: readonly (readonly [unknown, string])[] = [
  [undefined, "$"],
  ["ok", "$"],
  [{ ...EXECUTED, status: "unknown" }, "$.status"],
  [{ ...EXECUTED, completed: undefined }, "$.completed"],
  [{ ...EXECUTED, completed: "yes" }, "$.completed"],
  [{ ...EXECUTED, truncatedChars: -1 }, "$.truncatedChars"],
  [{ ...EXECUTED, observation: { text: "x" } }, "$.observation"],
  [{ ...EXECUTED, extra: 1 }, "$.extra"],
  [{ ...EXECUTED, status: "not_executed" }, "$.failed"],
  [{ ...REFUSED, failed: false }, "$.failed"],
  [{ ...REFUSED, completed: true }, "$.completed"],
  [{ ...REFUSED, status: "environment_failed", completed: true }, "$.completed"],
];

Deno.test("run() records an outcome that is none as an environment failure with the path", async () => {
  for (const [outcome, path] of BAD_OUTCOMES) {
    const executor = wordExecutor(() => Promise.resolve(outcome));
    const replying = { ...executor, execute: () => Promise.resolve(outcome as never) };
    const { steps } = await run(
      agentOf(["do it", "answer 1"]),
      requestOf({ executor: replying }),
      { now },
    );
    const [result] = steps[0]!.actions;
    assertEquals([steps[0]!.outcome, result?.status], ["environment_failed", "environment_failed"]);
    assertEquals(result?.observation, BROKEN);
    const error = result?.status === "environment_failed" ? result.error : undefined;
    assert(error?.message.endsWith(`: ${path}`), error?.message);
  }
});

/** Words of an executor that are none, or throw, with what the run throws. */
const BAD_WORDS: readonly (readonly [Partial<ActionExecutor>, string | undefined])[] = [
  [{ replayPolicy: () => "maybe" as never }, "executor.replayPolicy"],
  [{ completes: () => 1 as never }, "executor.completes"],
  [{
    replayPolicy: () => {
      throw new RangeError("own bug");
    },
  }, undefined],
];

Deno.test("run() throws what an executor's words must not be, and keeps reply and decision", async () => {
  for (const [words, port] of BAD_WORDS) {
    const store = memoryStore();
    const agent = agentOf(["use submit it"], { store });
    const executor = { ...wordExecutor(), ...words };
    const error = await run(agent, requestOf({ executor }), { now }).catch((error) => error);
    if (port === undefined) assertInstanceOf(error, RangeError);
    else {
      assertInstanceOf(error, PortContractError);
      assertEquals([error.port, error.path], [port, "$"]);
    }
    assertEquals(shapeOf(await store.readRun("r")).at(-1), "model_reply decision");
    const { stopReason } = await resume(agent, requestOf(), { now });
    assertEquals(stopReason, "tool_completed");
  }
});

Deno.test("resume() refuses a store that gives no log", async () => {
  const junk: readonly (readonly [unknown, string])[] = [
    [undefined, "$"],
    ["{}", "$"],
    [[5], "$[0]"],
    [[undefined], "$[0]"],
  ];
  for (const [lines, path] of junk) {
    const readRun = () => Promise.resolve(lines);
    const store = { ...memoryStore(), readRun } as RunStore;
    const error = await assertRejects(
      () => resume(agentOf([], { store }), requestOf()),
      PortContractError,
    );
    assertEquals([error.port, error.path], ["store.readRun", path]);
  }
});

Deno.test("resume() refuses a log that does not begin with its start", async () => {
  const headless = frameLogLine(
    0,
    digest("r"),
    JSON.stringify({
      type: "step",
      stepIndex: 0,
      outcome: "cancelled",
      durationMs: 0,
    }),
  ).line;
  for (const lines of [[], [headless]]) {
    const store = { ...memoryStore(), readRun: () => Promise.resolve(lines) };
    const error = await assertRejects(
      () => resume(agentOf([], { store }), requestOf()),
      RunLogCorruptError,
    );
    assertEquals([error.seq, error.reason], [0, "it does not begin with the started record"]);
  }
});

Deno.test("run() writes an observation of its own where an outcome without execution has none", async () => {
  const store = memoryStore();
  const budget = { maxConsecutiveFailures: 9 };
  const script = ["do refuse", "do collapse", "use submit throw it", "do quiet", "answer 1"];
  const silent = (word: string) =>
    word === "quiet" ? Promise.resolve({ ...EXECUTED, observation: "" }) : undefined;
  const request = requestOf({ budget, executor: wordExecutor(silent) });
  const { steps } = await run(agentOf(script, { store }), request, { now });
  assertEquals(
    steps.slice(0, 4).flatMap(({ actions }) =>
      actions.map((a) => [
        actionFate(a),
        a.observation,
        a.observationSynthetic,
        a.toolCompletes,
        a.status === "environment_failed" ? a.error?.name : undefined,
      ])
    ),
    [
      ["not_executed", "The action was rejected and not executed.", true, false, undefined],
      ["environment_failed", BROKEN, true, false, undefined],
      ["environment_failed", BROKEN, true, true, "TypeError"],
      ["executed", "", false, false, undefined],
    ],
  );
});

Deno.test("run() writes the deepest values that it takes, and reads them again", async () => {
  const store = memoryStore();
  const interpreter = {
    interpret: () => action({ action: nested(996) }),
    parameters: () => ({}),
  } as object as DecisionInterpreter;
  const agent = agentOf([{ text: "", providerData: nested(999) as never }], { store, interpreter });
  const executor = { execute: wordExecutor().execute, parameters: () => ({}) };
  const message = { ...textMessage("user", "go"), providerData: nested(997) as never };
  const context = { runLevel: [], goalLevel: [message] };
  const request = requestOf({ budget: { maxSteps: 1 }, context, executor });
  const result = await run(agent, request, { now });
  assertEquals(result.stopReason, "step_budget_exhausted");
  assertEquals(JSON.stringify(await resume(agent, request)), JSON.stringify(result));
});

Deno.test("run() copies what a port returns: a later change of it changes nothing", async () => {
  const store = memoryStore();
  const reply = { text: "do it", providerData: { n: [1] } };
  const model = { call: () => Promise.resolve(reply), parameters: () => ({}) };
  const outcome = { ...EXECUTED };
  const executor = { ...wordExecutor(), execute: () => Promise.resolve(outcome) };
  const budget = { maxSteps: 1 };
  const { steps } = await run(agentOf(model, { store }), requestOf({ executor, budget }), { now });
  reply.providerData.n[0] = 2;
  outcome.observation = "changed";
  assert(
    !Object.isFrozen(reply) && !Object.isFrozen(reply.providerData) && !Object.isFrozen(outcome),
  );
  assertEquals(steps[0]?.reply, { text: "do it", providerData: { n: [1] } });
  assertEquals(steps[0]?.actions[0]?.observation, "ok");
  assertEquals(recordsOf(await store.readRun("r")).length, 5);
});
