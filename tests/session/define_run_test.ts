import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type AgentSpec,
  defineAgent,
  defineRun,
  InvalidRequestError,
  type RunSpec,
  textMessage,
} from "../../mod.ts";
import { SYNTHETIC_OBSERVATIONS } from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { AMPLE, commands, hearing, scriptModel, wordExecutor } from "./world.ts";

const SPEC: RunSpec = {
  runId: "r",
  budget: AMPLE,
  executor: wordExecutor(),
  context: { runLevel: [], goalLevel: [textMessage("user", "go")] },
};

const TOOLS = { names: ["a"], schemaForModel: () => [], toolDigest: () => "d" };
const goal = (message: unknown) => ({ context: { runLevel: [], goalLevel: [message] } });
const block = (content: unknown) => goal({ role: "user", content: [content] });
const inject = (entry: unknown) => ({
  injections: { "a.b": [{ entryId: "e", content: "c" }, entry] },
});

/** A change of a good request, the field that is named, the value, and part of the message. */
const REFUSED: readonly (readonly [object, string, unknown, string])[] = [
  ...["", "A", "-a", "a b", "a/b", "a".repeat(129), "ä", "a\n", 5, undefined, null].map((runId) =>
    [{ runId }, "runId", runId, "[a-z0-9]"] as const
  ),
  ...["maxSteps", "maxModelCalls", "maxPromptChars", "maxConsecutiveFailures"].flatMap((limit) =>
    ["1", -1, 1.5, null, 2 ** 53].map((value) =>
      [
        { budget: { ...AMPLE, [limit]: value } },
        `budget.${limit}`,
        value,
        "must be a whole number",
      ] as const
    )
  ),
  ...["maxTotalTokens", "maxActiveMs", "maxIdenticalActions"].map((limit) =>
    [{ budget: { ...AMPLE, [limit]: -1 } }, `budget.${limit}`, -1, "whole number"] as const
  ),
  [{ budget: { ...AMPLE, maxSteps: NaN } }, "budget.maxSteps", NaN, "NaN"],
  [{ budget: { ...AMPLE, maxSteps: undefined } }, "budget.maxSteps", undefined, "missing"],
  [
    { budget: { ...AMPLE, maxConsecutiveFailures: 0 } },
    "budget.maxConsecutiveFailures",
    0,
    "from 1",
  ],
  [{ budget: { ...AMPLE, maxIdenticalActions: 0 } }, "budget.maxIdenticalActions", 0, "from 1"],
  [{ budget: { ...AMPLE, maxTurns: 3 } }, "budget.maxTurns", 3, "no such field"],
  [{ budget: undefined }, "budget", undefined, "it is missing"],
  [{ budget: null }, "budget", null, "an object"],
  [{ executor: {} }, "executor", {}, "execute, parameters"],
  [{ executor: null }, "executor", null, "execute, parameters"],
  [{ executor: undefined }, "executor", undefined, "ToolRegistry.of"],
  [{ executor: undefined, tools: TOOLS }, "executor", undefined, "ToolRegistry.of"],
  [
    { executor: undefined, tools: { ...TOOLS, executor: () => ({}) } },
    "executor",
    {},
    "execute, parameters",
  ],
  [{ executor: { ...wordExecutor(), toolNames: "a" } }, "executor.toolNames", "a", "an array"],
  [{ executor: { ...wordExecutor(), toolNames: [5] } }, "executor.toolNames[0]", 5, "a string"],
  [
    { executor: { ...wordExecutor(), toolNames: ["b", "a", "c"] }, tools: TOOLS },
    "executor.toolNames",
    ["b", "c"],
    "not among the visible ones",
  ],
  [{ tools: {} }, "tools", {}, "schemaForModel, toolDigest"],
  [{ tools: [] }, "tools", [], "ToolRegistry.of"],
  [{ tools: { ...TOOLS, executor: 5 } }, "tools", { ...TOOLS, executor: 5 }, "executor"],
  [{ tools: { ...TOOLS, names: undefined } }, "tools.names", undefined, "it is missing"],
  [{ tools: { ...TOOLS, names: "a" } }, "tools.names", "a", "an array"],
  ...["", "a,b", 5].map((name) =>
    [{ tools: { ...TOOLS, names: [name] } }, "tools.names[0]", name, "no comma"] as const
  ),
  [{ toolProtocol: "xml" }, "toolProtocol", "xml", "text, native"],
  [{ modelReplayPolicy: "always" }, "modelReplayPolicy", "always", "never, replayable"],
  [{ onUnknownUsage: "warn" }, "onUnknownUsage", "warn", "ignore, stop"],
  ...[0, -1, 1.5, "2"].map((maxConcurrentActions) =>
    [{ maxConcurrentActions }, "maxConcurrentActions", maxConcurrentActions, "from 1 to"] as const
  ),
  [{ onUnknownUsage: "stop" }, "onUnknownUsage", "stop", "budget.maxTotalTokens"],
  [{ observationTemplate: 5 }, "observationTemplate", 5, "a string"],
  [{ observationTemplate: "no field" }, "observationTemplate", "no field", "{observation}"],
  [
    { observationTemplate: "{observation!r}" },
    "observationTemplate",
    "{observation!r}",
    "offset 0",
  ],
  ...[-1, 1.5, 2 ** 31, "5"].map((cancelGraceMs) =>
    [{ cancelGraceMs }, "cancelGraceMs", cancelGraceMs, "from 0 to 2147483647"] as const
  ),
  ...["modelBinding", "fingerprints"].flatMap((field) =>
    [
      [{ [field]: { "a.b": 5 } }, `${field}.a.b`, 5, "a string"],
      [{ [field]: { a: undefined } }, `${field}.a`, undefined, "a string"],
      [{ [field]: { "": null } }, `${field}.`, null, "a string"],
      [{ [field]: new Map() }, field, new Map(), '"Map"'],
      [{ [field]: [] }, field, [], "an object"],
      [{ [field]: { a: 1n } }, `${field}.a`, 1n, "bigint"],
    ] as const
  ),
  [{ fingerprint: { a: "b" } }, "fingerprint", { a: "b" }, "no such field"],
  [{ context: undefined }, "context", undefined, "it is missing"],
  [{ context: { runLevel: [] } }, "context.goalLevel", undefined, "missing"],
  [goal({ role: "user", content: [] }), "context.goalLevel[0].content", [], "at least 1"],
  [goal({ role: "user" }), "context.goalLevel[0].content", undefined, "missing"],
  [goal({ role: "critic", content: [] }), "context.goalLevel[0].role", "critic", "system, user"],
  [goal("go"), "context.goalLevel[0]", "go", "a message"],
  [
    block({ type: "image", text: "x" }),
    "context.goalLevel[0].content[0].type",
    "image",
    "tool_call",
  ],
  [block({ type: "text" }), "context.goalLevel[0].content[0].text", undefined, "missing"],
  [
    block({ type: "text", text: "x", x: 1 }),
    "context.goalLevel[0].content[0].x",
    1,
    "no such field",
  ],
  [
    block({ type: "text", text: () => 1 }),
    "context.goalLevel[0].content[0].text",
    null,
    "function",
  ],
  [inject({ entryId: "", content: "c" }), "injections.a.b[1].entryId", "", "not empty"],
  [inject({ entryId: "a,b", content: "c" }), "injections.a.b[1].entryId", "a,b", "comma"],
  [inject({ entryId: "e", content: 5 }), "injections.a.b[1].content", 5, "a string"],
  [{ injections: { a: "x" } }, "injections.a", "x", "an array"],
  [{ injections: null }, "injections", null, "an object"],
];

Deno.test("defineRun() refuses every bad field at once, naming path and value", () => {
  for (const [change, field, value, detail] of REFUSED) {
    const spec = { ...SPEC, ...change } as RunSpec;
    const what = `${field}: ${String(value)}`;
    const error = assertThrows(() => defineRun(spec), InvalidRequestError, detail, what);
    assertEquals(error.field, field);
    if (typeof error.value !== "function") assertEquals<unknown>(error.value, value, what);
  }
});

Deno.test("defineRun() refuses a symbol key, which no JSON shows", () => {
  const modelBinding = { [Symbol("hidden")]: "x" };
  const error = assertThrows(() => defineRun({ ...SPEC, modelBinding }), InvalidRequestError);
  assertEquals(error.field, "modelBinding");
});

Deno.test("defineRun() takes the bounds of every limit, and of the run id", () => {
  const budget = { maxSteps: 0, maxModelCalls: 0, maxPromptChars: 0, maxConsecutiveFailures: 1 };
  const more = { maxTotalTokens: 0, maxActiveMs: 0, maxIdenticalActions: 1 };
  for (const runId of ["0", "a".repeat(128), "a._-"]) {
    const request = defineRun({ ...SPEC, runId, budget: { ...budget, ...more }, cancelGraceMs: 0 });
    assertEquals([request.runId, request.budget], [runId, { ...budget, ...more }]);
  }
  const largest = { ...AMPLE, maxSteps: Number.MAX_SAFE_INTEGER };
  const { cancelGraceMs } = defineRun({ ...SPEC, budget: largest, cancelGraceMs: 2 ** 31 - 1 });
  assertEquals(cancelGraceMs, 2 ** 31 - 1);
});

Deno.test("defineRun() fills in the documented defaults", () => {
  const { executor: _, context: __, budget: ___, ...rest } = defineRun(SPEC);
  assertEquals({ ...rest }, {
    runId: "r",
    injections: {},
    observationTemplate: "{observation}",
    modelBinding: {},
    modelReplayPolicy: "never",
    onUnknownUsage: "ignore",
    maxConcurrentActions: 1,
    fingerprints: {},
    cancelGraceMs: 5_000,
  });
});

Deno.test("defineRun() copies and freezes data, holds ports, and leaves the caller's objects alone", () => {
  const message = { role: "user" as const, content: [{ type: "text" as const, text: "go" }] };
  const spec = {
    ...SPEC,
    context: { runLevel: [], goalLevel: [message] },
    modelBinding: { a: "1" },
  };
  const request = defineRun(spec);
  assert(!Object.isFrozen(message) && !Object.isFrozen(spec.modelBinding));
  message.content[0]!.text = "changed";
  spec.modelBinding.a = "2";
  assertEquals(request.context.goalLevel, [textMessage("user", "go")]);
  assertEquals(request.modelBinding, { a: "1" });
  assert(Object.isFrozen(request) && Object.isFrozen(request.context.goalLevel[0]!.content[0]));
  assert(request.executor === spec.executor);
});

const AGENT: AgentSpec = { model: scriptModel([]), interpreter: commands(), store: memoryStore() };

/** A change of a good agent, the field that is named, and part of the message. */
const BAD_AGENTS: readonly (readonly [object, string, string])[] = [
  [{ model: undefined }, "model", "call, parameters"],
  [{ model: { call: () => 1 } }, "model", "parameters"],
  [{ interpreter: () => 1 }, "interpreter", "interpret, parameters"],
  [
    { interpreter: { ...commands(), toolProtocol: "xml" } },
    "interpreter.toolProtocol",
    "text, native",
  ],
  [{ store: { ...memoryStore(), writeOutcome: undefined } }, "store", "methods writeOutcome:"],
  [{ events: {} }, "events", "emit, parameters"],
  [{ event: hearing() }, "event", "no such field"],
  [{ syntheticObservations: { rejected: 5 } }, "syntheticObservations.rejected", "a string"],
  [
    { syntheticObservations: { rejectd: "x" } },
    "syntheticObservations.rejectd",
    "there is no such field",
  ],
];

Deno.test("defineAgent() refuses a port without its methods, and synthetic observations it has not", () => {
  for (const [change, field, detail] of BAD_AGENTS) {
    const spec = { ...AGENT, ...change } as AgentSpec;
    const error = assertThrows(() => defineAgent(spec), InvalidRequestError, detail);
    assertEquals(error.field, field);
  }
});

Deno.test("defineAgent() holds its ports, calls none, and completes the synthetic observations", () => {
  const untouchable = () => {
    throw new Error("it was called");
  };
  const ports = {
    model: { call: untouchable, parameters: untouchable },
    interpreter: { interpret: untouchable, parameters: untouchable },
    store: { ...memoryStore(), parameters: untouchable },
    events: { ...hearing(), parameters: untouchable },
  };
  const agent = defineAgent({ ...ports, syntheticObservations: { rejected: "no" } });
  assert(Object.isFrozen(agent) && agent.model === ports.model && agent.events === ports.events);
  assertEquals(agent.syntheticObservations, { ...SYNTHETIC_OBSERVATIONS, rejected: "no" });
  assertEquals(Object.hasOwn(defineAgent(AGENT), "events"), false);
});

Deno.test("defineAgent() takes any object with a port's methods, also a class with static ones", () => {
  class Model {
    static call = () => Promise.resolve({ text: "" });
    static parameters = () => ({});
  }
  assertEquals(
    defineAgent({ model: Model, interpreter: commands(), store: memoryStore() }).model,
    Model,
  );
});
