import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type AgentSpec,
  type ParameterDrift,
  ParameterDriftError,
  resume,
  run,
  type RunOptions,
  textMessage,
} from "../../mod.ts";
import { defineTool, ToolRegistry } from "../../logic/tools/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import {
  agentOf,
  commands,
  hearing,
  now,
  requestOf,
  scriptModel,
  tellingStore,
  wordExecutor,
} from "./world.ts";

type Request = NonNullable<Parameters<typeof requestOf>[0]>;

const toolsOf = (description: string) =>
  ToolRegistry.of([
    defineTool({ name: "a", description, parameters: { type: "object" }, execute: () => "" }),
  ]);
const reporting = <T>(port: T, parameters: Record<string, string>) => ({
  ...port,
  parameters: () => parameters,
});
const approval = (id: string): RunOptions => ({
  approveAction: { id, decide: () => ({ allow: true }) },
});

const TOOLS = toolsOf("first");
const INJECTIONS = { c: [{ entryId: "x", content: "1" }, { entryId: "y", content: "2" }] };
const REQUEST: Request = {
  budget: { maxTotalTokens: 1_000 },
  tools: TOOLS,
  modelBinding: { cell: "A" },
  fingerprints: { recipe: "1" },
  injections: INJECTIONS,
};
const AGENT: Partial<AgentSpec> = { events: reporting(hearing(), { audit: "on" }) };

const changed = (key: string, recorded: string, current: string): ParameterDrift => ({
  key,
  kind: "changed",
  recorded,
  current,
});

/** What is changed, and every drift that must be named; a context drift has digests for values. */
const CHANGES: readonly (readonly [
  string,
  Request,
  Partial<AgentSpec>,
  RunOptions,
  readonly ParameterDrift[],
])[] = [
  ["a limit", { budget: { maxTotalTokens: 1_000, maxSteps: 99 } }, {}, approval("me"), [
    changed("request.budget.max_steps", "100", "99"),
  ]],
  ["an optional limit away", { budget: {} }, {}, approval("me"), [
    { key: "request.budget.max_total_tokens", kind: "removed", recorded: "1000" },
  ]],
  [
    "an optional limit more",
    { budget: { maxTotalTokens: 1_000, maxActiveMs: 5 } },
    {},
    approval("me"),
    [
      { key: "request.budget.max_active_ms", kind: "added", current: "5" },
    ],
  ],
  ["a tool under its name", { tools: toolsOf("second") }, {}, approval("me"), [
    changed("request.tool_digest.a", TOOLS.toolDigest("a"), toolsOf("second").toolDigest("a")),
  ]],
  ["the template", { observationTemplate: "<{observation}>" }, {}, approval("me"), [
    changed("request.observation_template", "[{observation}]", "<{observation}>"),
  ]],
  ["the binding", { modelBinding: { cell: "B", more: "1" } }, {}, approval("me"), [
    changed("request.binding.cell", "A", "B"),
    { key: "request.binding.more", kind: "added", current: "1" },
  ]],
  ["a fingerprint", { fingerprints: {} }, {}, approval("me"), [
    { key: "request.fingerprint.recipe", kind: "removed", recorded: "1" },
  ]],
  [
    "the grace, the replay policy, the protocol",
    {
      cancelGraceMs: 21,
      modelReplayPolicy: "replayable",
      toolProtocol: "native",
    },
    {},
    approval("me"),
    [
      changed("request.cancel_grace_ms", "20", "21"),
      changed("request.model_replay_policy", "never", "replayable"),
      { key: "request.tool_protocol", kind: "added", current: "native" },
    ],
  ],
  ["a declared channel more", { injections: { ...INJECTIONS, d: [] } }, {}, approval("me"), [
    { key: "request.injected_entry_ids.d", kind: "added", current: "" },
  ]],
  [
    "the model's parameters",
    {},
    { model: reporting(scriptModel([]), { name: "other" }) },
    approval("me"),
    [
      changed("definition.model.name", "script", "other"),
    ],
  ],
  [
    "the interpreter's",
    {},
    { interpreter: reporting(commands(), { fixed: "1" }) },
    approval("me"),
    [
      { key: "definition.interpreter.fixed", kind: "added", current: "1" },
      { key: "definition.interpreter.protocol", kind: "removed", recorded: "text" },
    ],
  ],
  [
    "the executor's",
    { executor: reporting(wordExecutor(), { words: "2" }) },
    {},
    approval("me"),
    [
      changed("request.executor.words", "1", "2"),
    ],
  ],
  ["the sink's", {}, { events: reporting(hearing(), { audit: "off" }) }, approval("me"), [
    changed("definition.events.audit", "on", "off"),
  ]],
  ["a synthetic observation", {}, { syntheticObservations: { rejected: "no" } }, approval("me"), [
    changed(
      "definition.synthetic_observation.rejected",
      "The action was rejected and not executed.",
      "no",
    ),
  ]],
  ["the approver", {}, {}, approval("other"), [
    changed("request.callback.approve_action", "me", "other"),
  ]],
  ["no approver", {}, {}, {}, [
    { key: "request.callback.approve_action", kind: "removed", recorded: "me" },
  ]],
  [
    "the context",
    {
      context: { runLevel: [], goalLevel: [textMessage("user", "go!")] },
    },
    {},
    approval("me"),
    [changed("request.context", "sha256:", "sha256:")],
  ],
  [
    "an injection's text alone",
    {
      injections: { c: [{ entryId: "x", content: "1!" }, { entryId: "y", content: "2" }] },
    },
    {},
    approval("me"),
    [changed("request.context", "sha256:", "sha256:")],
  ],
  [
    "the injections' order",
    { injections: { c: INJECTIONS.c.toReversed() } },
    {},
    approval("me"),
    [
      changed("request.injected_entry_ids.c", "x,y", "y,x"),
      changed("request.context", "sha256:", "sha256:"),
    ],
  ],
];

/** A drift as it is compared: of a digest only that it is one. */
function shown({ key, kind, recorded, current }: ParameterDrift): readonly unknown[] {
  if (key !== "request.context") return [key, kind, recorded, current];
  return [key, kind, recorded?.slice(0, 7), current?.slice(0, 7)];
}

for (const [what, request, agent, options, drifts] of CHANGES) {
  for (const finished of [false, true]) {
    Deno.test(`resume() refuses a ${finished ? "finished" : "suspended"} run with another ${what}`, async () => {
      const store = tellingStore();
      const spec = { ...AGENT, store };
      const aborted: RunOptions = { signal: AbortSignal.abort(), onAbort: "suspend" };
      const first = run(agentOf(["answer 1"], spec), requestOf(REQUEST), {
        now,
        ...approval("me"),
        ...(!finished && aborted),
      });
      await first.catch(() => {});
      const before = [await store.readRun("r"), store.asked.length];
      const error = await assertRejects(
        () =>
          resume(
            agentOf(["answer 1"], { ...spec, ...agent }),
            requestOf({ ...REQUEST, ...request }),
            {
              now,
              ...options,
            },
          ),
        ParameterDriftError,
      );
      assertEquals(error.drifts.map(shown), drifts.map(shown));
      for (const { key, recorded, current } of error.drifts) {
        assert(recorded !== current);
        for (const part of [key, recorded, current]) assert(error.message.includes(part ?? key));
      }
      assertEquals(store.asked.slice(before[1] as number), ["readRun"]);
      assertEquals(await store.readRun("r"), before[0] as string[]);
    });
  }
}

Deno.test("resume() takes the same settings in another order, and a sink that has nothing to report", async () => {
  const store = memoryStore();
  const binding = { a: "1", b: "2" };
  const injections = { c: [], d: [] };
  const aborted: RunOptions = { now, signal: AbortSignal.abort(), onAbort: "suspend" };
  await run(
    agentOf(["answer 1"], { store }),
    requestOf({ modelBinding: binding, injections }),
    aborted,
  )
    .catch(() => {});
  const events = hearing();
  const { stopReason } = await resume(
    agentOf(["answer 1"], { store, events }),
    requestOf({ modelBinding: { b: "2", a: "1" }, injections: { d: [], c: [] } }),
    { now },
  );
  assertEquals([stopReason, events.heard[0]?.type], ["final_answer", "run_resumed"]);
});

Deno.test("resume() sees another context also where the inputs were not recorded", async () => {
  const store = memoryStore();
  const agent = agentOf(["answer 1"], { store });
  await run(agent, requestOf(), { now, recordInputs: false });
  const context = { runLevel: [], goalLevel: [textMessage("user", "other")] };
  const error = await assertRejects(
    () => resume(agent, requestOf({ context })),
    ParameterDriftError,
  );
  assertEquals(error.drifts.map(({ key }) => key), ["request.context"]);
});
