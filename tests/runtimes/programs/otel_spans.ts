/** The spans of a run, kept by the JavaScript SDK of OpenTelemetry, and read by two programs of others. */
import assert from "node:assert/strict";
import process from "node:process";
import {
  defineAgent,
  defineRun,
  defineTool,
  run,
  textMessage,
  ToolRegistry,
} from "@polyloop/polyloop";
import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
import { otelEvents, otlpTrace } from "@polyloop/polyloop/adapters/otel-events";
import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
import { readLog } from "@polyloop/polyloop/session";
import { memoryStore } from "@polyloop/polyloop/stores/memory";

// The project has these beside the package; the checkout has not, and knows nothing of their types.
const [sdk, genAi, prism] = await Promise.all(
  [
    "@opentelemetry/sdk-trace-base",
    "@arizeai/openinference-genai",
    "@evilmartians/agent-prism-data",
  ]
    .map((specifier) => import(specifier)),
);
const converted = genAi.convertGenAISpanAttributesToOpenInferenceSpanAttributes;

/** What this program looks at of a span that the SDK has kept. */
interface SdkSpan {
  readonly name: string;
  readonly parentSpanContext?: { readonly spanId: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  spanContext(): { readonly spanId: string };
}

const names = { provider: "ollama", model: "qwen3", agentName: "counter" };
const usage = { inputTokens: 12, outputTokens: 3 };
const replies = [
  {
    text: '{"tool": "count", "arguments": {"place": "the valley"}}',
    usage,
    servedModel: "qwen3-8b",
  },
  { text: '{"final_answer": 4}', usage },
];
const exporter = new sdk.InMemorySpanExporter();
const provider = new sdk.BasicTracerProvider({
  spanProcessors: [new sdk.SimpleSpanProcessor(exporter)],
});
const store = memoryStore();

async function counted(runId: string, content: boolean): Promise<void> {
  const events = otelEvents({ ...names, tracer: provider.getTracer("test"), content });
  const agent = defineAgent({
    model: scriptedModel(replies),
    interpreter: jsonActionInterpreter(),
    store,
    events,
  });
  await run(
    agent,
    defineRun({
      runId,
      budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 9_000, maxConsecutiveFailures: 1 },
      tools: ToolRegistry.of([defineTool({
        name: "count",
        description: "Counts.",
        timeoutMs: 60_000,
        parameters: {
          type: "object",
          properties: { place: { type: "string" } },
          required: ["place"],
        },
        execute: () => "four wells",
      })]),
      context: { runLevel: [], goalLevel: [textMessage("user", "Count the wells.")] },
    }),
  );
}

await counted("bare", false);
const bare: readonly SdkSpan[] = exporter.getFinishedSpans();
const whole = bare.at(-1);
assert.deepEqual(
  bare.map(({ name, parentSpanContext: parent }) => [name, parent?.spanId]),
  [
    ["chat qwen3", whole?.spanContext().spanId],
    ["execute_tool count", whole?.spanContext().spanId],
    ["chat qwen3", whole?.spanContext().spanId],
    ["invoke_agent counter", undefined],
  ],
);
assert.equal(bare[0]?.attributes["gen_ai.usage.input_tokens"], 12);
assert.ok(!/valley|wells|final_answer":/.test(JSON.stringify(bare.map((span) => span.attributes))));

exporter.reset();
await counted("told", true);
const told: readonly SdkSpan[] = exporter.getFinishedSpans();
const [chat, tool, , agent] = told.map((span) => converted(span.attributes));
assert.deepEqual(
  [chat, tool, agent].map((read) => read?.["openinference.span.kind"]),
  ["LLM", "TOOL", "AGENT"],
);
assert.deepEqual(
  [
    chat?.["llm.model_name"],
    chat?.["llm.token_count.prompt"],
    chat?.["llm.token_count.completion"],
  ],
  ["qwen3-8b", 12, 3],
);
assert.deepEqual(
  [tool?.["tool.name"], tool?.["tool.parameters"], tool?.["output.value"]],
  ["count", '{"place":"the valley"}', "four wells"],
);

const trace = otlpTrace(readLog(await store.readRun("told") ?? []), names);
const [read, ...others] = prism.openTelemetrySpanAdapter.convertRawDocumentsToSpans(trace);
assert.equal(others.length, 0);
assert.deepEqual(
  [read, ...read.children].map((
    span: { readonly type: string; readonly tokensCount: number },
  ) => [span.type, span.tokensCount]),
  [
    ["agent_invocation", 30],
    ["llm_call", 15],
    ["tool_execution", 0],
    ["llm_call", 15],
  ],
);
process.stdout.write(
  "spans of a run, as the OpenTelemetry SDK keeps them and two others read them\n",
);
