import { assert, assertEquals } from "@std/assert";
import {
  digest,
  readBudget,
  readSettings,
  type RunSettings,
  writeSettings,
} from "../../types/mod.ts";

const BUDGET = {
  maxSteps: 0,
  maxModelCalls: 7,
  maxPromptChars: 100_000,
  maxConsecutiveFailures: 1,
};

const LEAST: RunSettings = {
  model: {},
  interpreter: {},
  store: {},
  events: {},
  executor: {},
  syntheticObservations: {},
  budget: BUDGET,
  modelReplayPolicy: "never",
  onUnknownUsage: "ignore",
  maxConcurrentActions: 1,
  toolProtocol: "text",
  toolDigests: {},
  injectedEntryIds: {},
  modelBinding: {},
  fingerprints: {},
};

/** What each setting may be, beside what it is in the least ones. */
const CHOICES: {
  readonly [K in keyof RunSettings]: readonly Exclude<RunSettings[K], undefined>[];
} = {
  model: [{ name: "m" }, { "text.digest": "", "": "x", 'a"\n🌊': "=" }],
  interpreter: [JSON.parse('{"__proto__":"p","constructor":"c"}')],
  store: [{ sync: "full" }],
  events: [{ audit: "on" }],
  executor: [{ "budget.max_steps": "1" }],
  syntheticObservations: [{ rejected: "no", actionOutcomeUnknown: "?\n" }],
  budget: [{}, { ...BUDGET, maxTotalTokens: 1, maxActiveMs: 2 ** 53 - 1, maxIdenticalActions: 3 }],
  contextPolicy: [
    {
      triggerChars: 9,
      targetChars: 5,
      keepLastSteps: 1,
      stages: [{ kind: "drop_steps", notice: "12" }],
    },
    {
      triggerChars: 9,
      targetChars: 5,
      triggerTokens: 4,
      minReclaimChars: 0,
      keepFirstSteps: 2,
      keepLastSteps: 1,
      pinnedTools: [],
      stages: [
        { kind: "elide_observations", minChars: 3, notice: "{step}\n{chars}" },
        { kind: "elide_observations", minChars: 1, notice: "" },
        { kind: "summarise", instruction: "", notice: "{summary}", maxSummaryChars: 7 },
      ],
    },
  ],
  observationTemplate: ["", "[{observation}]"],
  cancelGraceMs: [0, 5_000],
  modelReplayPolicy: ["replayable"],
  onUnknownUsage: ["stop"],
  maxConcurrentActions: [2, 8],
  toolProtocol: ["native"],
  tools: [[], ["read"], ["list", "read"]],
  toolDigests: [{ read: "sha256:1", list: "sha256:2" }],
  injectedEntryIds: [{ notes: ["b", "a"], empty: [], "x.y": ["1"] }],
  modelBinding: [{ cell: "A3", "a.b": "" }],
  fingerprints: [{ recipe: "sha256:12" }],
  derivedFrom: [
    { runId: "q", logHead: digest("q"), steps: 0, historySteps: 0, root: "q" },
    { runId: "q", logHead: digest("q"), steps: 2, historySteps: 5, root: "p" },
  ],
  approveAction: ["", "human"],
};

function* settings(): Generator<RunSettings> {
  const changes = Object.entries(CHOICES)
    .flatMap(([name, choices]) => choices.map((choice) => ({ [name]: choice })));
  yield LEAST;
  for (const first of changes) {
    for (const second of changes) yield { ...LEAST, ...first, ...second };
  }
  yield Object.assign({}, LEAST, ...changes);
}

Deno.test("readSettings() gives back what writeSettings() wrote, whatever is set", () => {
  for (const given of settings()) assertEquals(readSettings(writeSettings(given)), given);
});

Deno.test("writeSettings() writes other parameters for other settings", () => {
  const written = new Map<string, RunSettings>();
  for (const given of settings()) {
    const key = JSON.stringify(Object.entries(writeSettings(given)).sort());
    assertEquals(given, written.get(key) ?? given);
    written.set(key, given);
  }
  assert(written.size > 100);
});

Deno.test("readSettings() leaves out what is not as it must be, and what a later version may have added", () => {
  const read = readSettings({
    "request.budget.max_steps": "1e2",
    "request.budget.max_model_calls": "-1",
    "request.budget.max_prompt_chars": "9007199254740993",
    "request.budget.max_active_ms": "07",
    "request.budget.max_total_tokens": "12",
    "request.cancel_grace_ms": "soon",
    "request.model_replay_policy": "sometimes",
    "request.tool_protocol": "smoke signals",
    "request.later": "x",
    "later.more": "x",
  });
  assertEquals(read, { ...LEAST, budget: { maxTotalTokens: 12 } });
});

Deno.test("readBudget() gives the budget, or names the limit that is missing or no limit", () => {
  const parameters = writeSettings(LEAST);
  const read = (more: Readonly<Record<string, string>>) => readBudget({ ...parameters, ...more });
  assertEquals(read({}), { ok: true, value: BUDGET });
  const optional = read({ "request.budget.max_active_ms": "5", "request.budget.max_later": "6" });
  assert(optional.ok && optional.value.maxActiveMs === 5);
  for (
    const [key, text, path] of [
      ["max_steps", "many", ".maxSteps"],
      ["max_consecutive_failures", "0", ".maxConsecutiveFailures"],
      ["max_total_tokens", "1.5", ".maxTotalTokens"],
    ] as const
  ) {
    const refused = read({ [`request.budget.${key}`]: text });
    assertEquals(refused.ok ? "" : refused.fault.path, path);
  }
  const { "request.budget.max_model_calls": _, ...rest } = parameters;
  const missing = readBudget(rest);
  assertEquals(missing.ok ? "" : missing.fault.path, ".maxModelCalls");
});
