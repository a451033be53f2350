import { defineTool, ToolRegistry } from "../../logic/tools/mod.ts";
import type {
  ActionExecutor,
  DecisionInterpreter,
  EventSink,
  ModelPort,
  RunStore,
} from "../../ports/mod.ts";
import {
  type AgentDefinition,
  contextAt,
  defineAgent,
  defineRun,
  readLog,
  recordedActions,
  recordedCalls,
  run,
  type RunRequest,
} from "../../session/mod.ts";
import { memoryStore } from "../../stores/memory.ts";
import { digest, type RunStartedRecord, textMessage } from "../../types/mod.ts";
import type { GoodCall } from "./places.ts";

const model: ModelPort = {
  call: () => Promise.resolve({ text: "42" }),
  parameters: () => ({}),
};
const interpreter: DecisionInterpreter = {
  interpret: ({ text }) => ({
    decision: { kind: "final_answer", answer: text },
    historyText: text,
  }),
  parameters: () => ({}),
};
const events: EventSink = { emit: () => {}, parameters: () => ({}) };
const executor: ActionExecutor = {
  execute: () => Promise.reject(new Error("no actions")),
  parameters: () => ({}),
};
const tool = defineTool({
  name: "greet",
  description: "Greets.",
  parameters: { type: "object", properties: { who: { type: "string" } } },
  execute: () => "hello",
});
const budget = { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 999, maxConsecutiveFailures: 1 };
const context = { runLevel: [], goalLevel: [textMessage("user", "What is six times seven?")] };

function agent(): AgentDefinition {
  return defineAgent({ model, interpreter, store: memoryStore(), events });
}

function request(): RunRequest {
  return defineRun({
    runId: "r",
    budget,
    executor,
    context,
    injections: { notes: [{ entryId: "a", content: "a note" }] },
    cancelGraceMs: 1,
  });
}

const options = {
  signal: new AbortController().signal,
  existing: "resume",
  onAbort: "finish",
  recordInputs: true,
  now: () => 0,
  events: { emit: () => {} },
  onEventError: () => {},
  approveAction: { id: "me", decide: () => ({ allow: true }) },
  resolveUnknownAction: { id: "me", resolve: () => ({ kind: "unknown" }) },
};

const store = memoryStore();
await run(defineAgent({ model, interpreter, store }), request());
const lines = await store.readRun("r") ?? [];
const log = readLog(lines);
const started: RunStartedRecord = log.started;
await run(
  defineAgent({ model, interpreter, store }),
  defineRun({ ...request(), runId: "fork", ...contextAt(log) }),
);
const fork = readLog(await store.readRun("fork") ?? []);

const section = {
  id: "task",
  kind: "task",
  segment: "goal_level",
  trust: "user",
  priority: 0,
  body: "Name a river.",
  source: "notes",
  version: "1",
};
const source = { name: "memories", optional: false, collect: () => [] };
const server = { baseUrl: "http://127.0.0.1:1", model: "m", apiKey: "k", stream: true };
const cell = { timeoutMs: 1_000, maxOutputChars: 100 };
const connection = {
  protocolVersion: "2025-11-25",
  connectTimeoutMs: 1_000,
  callTimeoutMs: 1_000,
  answerInput: () => Promise.reject(new Error("never")),
};
const registry = ToolRegistry.of([tool]);

/** For every public function, by its name, what it takes. Methods of classes have the class's name before theirs. */
export const GOOD_CALLS: Readonly<Record<string, () => GoodCall>> = {
  anthropicMessagesModel: () => ({ options: { ...server, maxTokens: 9 } }),
  blockSize: () => ({ block: { type: "text", text: "x" } }),
  buildContext: () => ({
    sections: [section, source],
    spec: { maxChars: 99, trimToChars: 90, formatters: {}, texts: {} },
    hooks: { compress: () => null },
  }),
  canonicalJson: () => ({ value: { a: [1] } }),
  chatCompletionsModel: () => ({ options: server }),
  childRunId: () => ({ actionId: "r/s0_a0" }),
  codeFenceInterpreter: () => ({ options: { languages: ["ts"], finalAnswer: "text", texts: {} } }),
  codeSandbox: () => ({ options: { ...cell, permissions: { read: ["/"] }, texts: {} } }),
  combineEvents: () => ({ first: events, second: events }),
  compareCodePoints: () => ({ a: "a", b: "b" }),
  compileSchema: () => ({ schema: { type: "object" } }),
  connectMcpHttp: () => ({
    options: { url: "http://127.0.0.1:1/", headers: { a: "b" }, ...connection },
  }),
  connectMcpStdio: () => ({
    options: { command: "/no/such/program", args: ["a"], env: { A: "b" }, ...connection },
  }),
  consoleEvents: () => ({
    options: { output: { writeSync: () => 1 }, isTerminal: false, color: false, columns: 80 },
  }),
  contextAt: () => ({ log, steps: 1, options: { whole: true } }),
  continued: () => ({ log, messages: textMessage("user", "And now?") }),
  copyJson: () => ({ $: { a: [1] }, root: "$", maxDepth: 9 }),
  countCodePoints: () => ({ text: "x" }),
  decodeLog: () => ({ runId: "r", lines }),
  deepFreeze: () => ({ value: { a: [1] } }),
  defineAgent: () => ({
    spec: { model, interpreter, store, events, syntheticObservations: { rejected: "no" } },
  }),
  defineRun: () => ({
    spec: {
      ...request(),
      modelBinding: { cell: "a" },
      fingerprints: { recipe: "1" },
      tools: registry,
    },
  }),
  defineTool: () => ({ spec: { ...tool, maxObservationChars: 9 } }),
  diffLogs: () => ({ a: log, b: log }),
  digest: () => ({ text: "x" }),
  driftsOf: () => ({ log, agent: agent(), request: request(), options }),
  encodeEntry: () => ({ seq: 0, prev: digest("r"), records: [started] }),
  errorInfo: () => ({ thrown: new Error("x") }),
  errorInfoWithStack: () => ({ thrown: new Error("x") }),
  eventSinkContract: () => ({
    options: { makeSink: () => events, keptEvents: () => [], graceMs: 1, dispose: () => {} },
  }),
  executorContract: () => ({
    options: { makeExecutor: () => executor, samples: [{ action: 1, result: "fails" }] },
  }),
  exploreCrashes: () => ({
    subject: {
      makeStore: memoryStore,
      agent: (store: RunStore) => defineAgent({ model, interpreter, store }),
      request,
      makeWorld: () => undefined,
      effects: () => [],
      options: { recordInputs: true },
      depth: 1,
    },
  }),
  executorTool: () => ({
    executor,
    spec: { name: "do", description: "Does.", parameters: { type: "object" }, action: () => 1 },
  }),
  fallbackModel: () => ({ models: [model], options: { kinds: ["timeout"] } }),
  frameLogLine: () => ({ seq: 0, prev: digest("r"), recordsJson: "{}" }),
  hasSurrogates: () => ({ text: "x" }),
  interpreterContract: () => ({
    options: {
      makeInterpreter: () => interpreter,
      samples: [{ reply: { text: "x" }, kind: "final_answer" }],
      toolProtocol: "text",
      graceMs: 1,
    },
  }),
  isJsonArray: () => ({ value: [] }),
  isJsonObject: () => ({ value: {} }),
  jsonActionInterpreter: () => ({ options: { texts: {} } }),
  jsonlEvents: () => ({ path: "events.jsonl" }),
  jsonlStore: () => ({ options: { dir: "runs" } }),
  kvStore: () => ({ options: { kv: { get: () => {}, list: () => {}, atomic: () => {} } } }),
  main: () => ({ args: ["--help"] }),
  memoryStore: () => ({}),
  messageSize: () => ({ message: textMessage("user", "x") }),
  modelContract: () => ({
    options: {
      makeModel: () => model,
      makeSilentModel: () => model,
      makeFailingModel: () => model,
      expectedText: () => "42",
      graceMs: 1,
      dispose: () => {},
    },
  }),
  nativeToolsInterpreter: () => ({ options: { texts: {} } }),
  otelEvents: () => ({
    options: {
      tracer: { startSpan: () => Promise.reject(new Error("never")) },
      provider: "p",
      model: "m",
      agentName: "a",
      content: true,
      integers: "number",
      trace: "run",
    },
  }),
  otlpTrace: () => ({ log, options: { provider: "p", model: "m", agentName: "a", content: true } }),
  parameterSnapshot: () => ({ agent: agent(), request: request(), options }),
  parseFaithfulJson: () => ({ text: "{}" }),
  parseLogLine: () => ({ line: lines[0] }),
  postgresSchema: () => ({ schema: "public" }),
  postgresStore: () => ({ options: { client: { query: () => {} }, schema: "public" } }),
  present: () => ({ properties: { a: 1 } }),
  readLog: () => ({ lines }),
  readLogInParts: () => ({ parts: [lines], onStep: () => {} }),
  readSchema: () => ({ schema: { type: "object" } }),
  rebuildCall: () => ({ log, callIndex: 0 }),
  rebuildPrompt: () => ({ log, callIndex: 0 }),
  recordedActions: () => ({ log }),
  recordedCalls: () => ({ log }),
  recordedExecutor: () => ({
    actions: recordedActions(log),
    options: { parameters: { kind: "recorded" } },
  }),
  recordedModel: () => ({
    calls: recordedCalls(log),
    options: { parameters: { kind: "recorded" } },
  }),
  replayRun: () => ({ agent: agent(), request: request(), lines, options: { now: () => 0 } }),
  redactLog: () => ({
    lines,
    rules: { patterns: [/river/], pointers: ["/password"], key: "k", digests: "drop" },
  }),
  requestInputs: () => ({ log }),
  resume: () => ({ agent: { ...agent(), store }, request: request(), options: { now: () => 0 } }),
  retryingModel: () => ({
    model,
    options: { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1, maxTotalMs: 1 },
  }),
  run: () => ({ agent: agent(), request: request(), options }),
  scriptedModel: () => ({ script: ["42"], options: { name: "m" } }),
  shellExecutor: () => ({ options: { ...cell, cwd: "/", env: { A: "b" }, texts: {} } }),
  sqliteStore: () => ({ options: { path: "runs.db" } }),
  storeContract: () => ({ options: { makeStore: memoryStore, dispose: () => {} } }),
  takeCodePoints: () => ({ text: "xyz", limit: 2 }),
  textMessage: () => ({ role: "user", text: "x" }),
  toolsSize: () => ({ tools: [{ name: "now", description: "", parameters: {} }] }),
  toolOutcome: () => ({ spec: { observation: "none", failed: true, error: new Error("x") } }),
  totalTokens: () => ({ reply: { text: "", usage: { inputTokens: 1 } } }),
  verifyLog: () => ({ lines }),
  verifyLogInParts: () => ({ parts: [lines] }),
  verifyOrigin: () => ({ log: fork, parent: log }),
  writtenJson: () => ({ $: { a: [1] } }),
};

/** The same for the methods of classes. */
export const GOOD_METHODS: Readonly<
  Record<string, readonly [method: (...args: readonly never[]) => unknown, call: () => GoodCall]>
> = {
  "ToolRegistry.of": [(tools) => ToolRegistry.of(tools), () => ({ tools: [tool] })],
  "ToolRegistry.subset": [(names) => registry.subset(names), () => ({ names: ["greet"] })],
  "ToolRegistry.executor": [
    (options) => registry.executor(options),
    () => ({ options: { texts: {} } }),
  ],
  "ToolRegistry.toolDigest": [(name) => registry.toolDigest(name), () => ({ name: "greet" })],
};
