import { assert, assertEquals, assertRejects } from "@std/assert";
import { type AgentSpec, run, type RunSpec } from "../../mod.ts";
import { PortContractError } from "../../types/mod.ts";
import type { RunStartedRecord } from "../../types/mod.ts";
import { readLog, SYNTHETIC_OBSERVATIONS } from "../../session/mod.ts";
import { defineTool, ToolRegistry } from "../../logic/tools/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  commands,
  hearing,
  now,
  recordsOf,
  requestOf,
  scriptModel,
  tellingStore,
  wordExecutor,
} from "./world.ts";

async function startedOf(
  agent: Partial<AgentSpec>,
  request: Parameters<typeof requestOf>[0],
  options: Parameters<typeof run>[2] = {},
): Promise<RunStartedRecord> {
  const inner = memoryStore();
  const store = { ...inner, parameters: agent.store?.parameters ?? inner.parameters };
  await run(agentOf(["answer 1"], { ...agent, store }), requestOf(request), { now, ...options });
  return recordsOf(await store.readRun("r"))[0]![0] as RunStartedRecord;
}

const OBSERVATIONS = Object.fromEntries(
  Object.entries(SYNTHETIC_OBSERVATIONS).map(([name, text]) => [
    `definition.synthetic_observation.${name.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase())}`,
    text,
  ]),
);

const LEAST = {
  "definition.model.name": "script",
  "definition.interpreter.protocol": "text",
  ...OBSERVATIONS,
  "request.executor.words": "1",
  "request.budget.max_steps": "100",
  "request.budget.max_model_calls": "100",
  "request.budget.max_prompt_chars": "100000",
  "request.budget.max_consecutive_failures": "3",
  "request.observation_template": "[{observation}]",
  "request.cancel_grace_ms": "20",
  "request.model_replay_policy": "never",
};

Deno.test("run() records the parameters of the least request, and nothing else", async () => {
  const { parameters } = await startedOf({}, {});
  assertEquals<unknown>(parameters, LEAST);
  assert("definition.synthetic_observation.action_outcome_unknown" in parameters);
});

const tool = (name: string) =>
  defineTool({ name, description: name, parameters: { type: "object" }, execute: () => "" });

Deno.test("run() records every parameter of the fullest request under its key", async () => {
  const tools = ToolRegistry.of([tool("read"), tool("list")]);
  const { parameters } = await startedOf({
    store: { ...memoryStore(), parameters: () => ({ sync: "full" }) },
    events: { ...hearing(), parameters: () => ({ audit: "on" }) },
    syntheticObservations: { rejected: "no" },
    interpreter: commands("native"),
  }, {
    budget: { maxTotalTokens: 5_000, maxActiveMs: 60_000, maxIdenticalActions: 4 },
    tools,
    toolProtocol: "native",
    modelReplayPolicy: "replayable",
    modelBinding: { cell: "A3", "a.b": "" },
    fingerprints: { recipe: "sha256:12" },
    injections: {
      z: [{ entryId: "z2", content: "secret" }, { entryId: "z1", content: "secret" }],
      empty: [],
    },
  }, { approveAction: { id: "human", decide: () => ({ allow: true }) } });
  assertEquals<unknown>(parameters, {
    ...LEAST,
    "definition.interpreter.protocol": "native",
    "definition.store.sync": "full",
    "definition.events.audit": "on",
    "definition.synthetic_observation.rejected": "no",
    "request.budget.max_total_tokens": "5000",
    "request.budget.max_active_ms": "60000",
    "request.budget.max_identical_actions": "4",
    "request.tools": "list,read",
    "request.tool_digest.list": tools.toolDigest("list"),
    "request.tool_digest.read": tools.toolDigest("read"),
    "request.tool_protocol": "native",
    "request.model_replay_policy": "replayable",
    "request.binding.cell": "A3",
    "request.binding.a.b": "",
    "request.fingerprint.recipe": "sha256:12",
    "request.injected_entry_ids.z": "z2,z1",
    "request.injected_entry_ids.empty": "",
    "request.callback.approve_action": "human",
  });
  assert(!JSON.stringify(parameters).includes("secret"));
});

Deno.test("readLog() gives the settings of the snapshot with their types, frozen", async () => {
  const store = memoryStore();
  const request = requestOf({ injections: { notes: [{ entryId: "n", content: "x" }] } });
  await run(agentOf(["answer 1"], { store }), request, { now });
  const { settings } = readLog((await store.readRun("r"))!);
  const { budget, toolProtocol, injectedEntryIds, syntheticObservations } = settings;
  assertEquals(budget, request.budget);
  assertEquals<unknown>(syntheticObservations, SYNTHETIC_OBSERVATIONS);
  assertEquals([toolProtocol, injectedEntryIds], ["text", { notes: ["n"] }]);
  assert(Object.isFrozen(settings) && Object.isFrozen(budget));
});

Deno.test("run() records the inputs beside the snapshot, unless it is told not to", async () => {
  const injections = { c: [{ entryId: "e", content: "x" }] };
  const tools = ToolRegistry.of([tool("read")]);
  const request = requestOf({ injections, tools });
  const started = await startedOf({}, { injections, tools });
  assertEquals<unknown>(started.inputs, {
    context: request.context,
    injections,
    tools: tools.schemaForModel(),
  });
  assertEquals(started.runtime.deno, `Deno/${Deno.version.deno}`);
  assertEquals(Object.keys((await startedOf({}, {})).inputs!), ["context", "injections"]);
  const bare = await startedOf({}, { injections, tools }, { recordInputs: false });
  assertEquals(Object.hasOwn(bare, "inputs"), false);
  assertEquals(bare.contextDigest, started.contextDigest);
});

class Settings {
  model = "x";
}

/** What `parameters()` must not give, with the path that is named. */
const JUNK: readonly (readonly [() => unknown, string])[] = [
  [() => undefined, "$"],
  [() => null, "$"],
  [() => "x", "$"],
  [() => [], "$"],
  [() => new Map([["a", "b"]]), "$"],
  [() => Promise.resolve({ a: "b" }), "$"],
  [() => new Settings(), "$"],
  [() => ({ a: 5 }), "$.a"],
  [() => ({ a: undefined }), "$.a"],
  [() => ({ [Symbol("s")]: "x" }), "$.Symbol(s)"],
  [() => {
    throw new Error("no");
  }, "$"],
];

Deno.test("run() refuses what parameters() must not give, before anything is written", async () => {
  for (const [parameters, path] of JUNK) {
    const junk = { parameters } as { parameters(): Record<string, string> };
    const store = tellingStore();
    const whole = { model: scriptModel([]), interpreter: commands(), store, events: hearing() };
    for (const port of ["model", "interpreter", "store", "events", "executor"] as const) {
      const executor = { ...wordExecutor(), ...(port === "executor" && junk) };
      const agent = port === "executor" ? whole : { ...whole, [port]: { ...whole[port], ...junk } };
      const error = await assertRejects(
        () => run(agentOf([], agent), requestOf({ executor })),
        PortContractError,
      );
      assertEquals([error.port, error.path], [`${port}.parameters`, path]);
    }
    assertEquals(store.asked, []);
  }
});

Deno.test("run() refuses junk of a tool registry before anything is written", async () => {
  const schema = (name: string) => ({ name, description: "", parameters: {} });
  const good = { names: ["a"], schemaForModel: () => [schema("a")], toolDigest: () => "d" };
  const junk: readonly (readonly [object, string, string])[] = [
    [{ toolDigest: () => 5 }, "tools.toolDigest", "$"],
    [{ schemaForModel: () => ({}) }, "tools.schemaForModel", "$"],
    [{ schemaForModel: () => [{ name: "a" }] }, "tools.schemaForModel", "$[0].description"],
    [{ schemaForModel: () => [] }, "tools.schemaForModel", "$"],
    [{ schemaForModel: () => [schema("b")] }, "tools.schemaForModel", "$"],
    [{ schemaForModel: () => [schema("a"), schema("b")] }, "tools.schemaForModel", "$"],
  ];
  for (const [change, port, path] of junk) {
    const store = tellingStore();
    const tools = { ...good, ...change } as NonNullable<RunSpec["tools"]>;
    const { signal } = new AbortController();
    const error = await assertRejects(
      () => run(agentOf([], { store }), requestOf({ tools }), { signal }),
      PortContractError,
    );
    assertEquals([error.port, error.path, store.asked.length], [port, path, 0]);
  }
});
