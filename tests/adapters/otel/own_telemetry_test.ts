import { assertEquals } from "@std/assert";

/** What a collector was sent. */
interface Received {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

const PROGRAM = `
import { otelEvents } from "${new URL("../../../adapters/otel_events.ts", import.meta.url)}";
import { scriptedModel } from "${new URL("../../../adapters/scripted_model.ts", import.meta.url)}";
import { agentOf, COMMANDS, requestOf } from "${new URL(
  "../../cli/made_runs.ts",
  import.meta.url,
)}";
import { memoryStore } from "${new URL("../../../stores/memory.ts", import.meta.url)}";
import { defineAgent, run } from "${new URL("../../../mod.ts", import.meta.url)}";
const tracer = Deno.telemetry.tracerProvider.getTracer("test");
const { model } = agentOf(memoryStore(), [{ text: "do look", usage: { inputTokens: 12 } }, "answer yes"]);
for (const trace of ["caller", "run"]) {
  const events = otelEvents({ tracer, provider: "ollama", trace });
  const agent = defineAgent({ model, interpreter: COMMANDS, store: memoryStore(), events });
  await run(agent, requestOf(trace));
}
`;

Deno.test("otelEvents() reaches a collector through the runtime's own telemetry, without a permission", async () => {
  const received: Received[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const body = await request.json();
      for (const { scopeSpans = [] } of body.resourceSpans ?? []) {
        for (const { spans } of scopeSpans) received.push(...spans);
      }
      return Response.json({});
    },
  );
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "--no-config", "-"].slice(0, -1).concat(
      `data:application/typescript,${encodeURIComponent(PROGRAM)}`,
    ),
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_DENO_CONSOLE: "ignore",
    },
    stdout: "null",
    stderr: "piped",
  }).output();
  assertEquals([success, new TextDecoder().decode(stderr)], [true, ""]);
  const names = new Map(received.map(({ spanId, name }) => [spanId, name]));
  const tree = (traceOf: string) =>
    received.filter(({ attributes }) =>
      attributes.some(({ key, value }) =>
        key === "polyloop.run.id" && JSON.stringify(value).includes(`"${traceOf}"`)
      )
    ).map(({ name, parentSpanId }) => [name, names.get(parentSpanId ?? "")]).sort();
  const whole = [
    ["chat", "invoke_agent"],
    ["chat", "invoke_agent"],
    ["execute_tool do", "invoke_agent"],
    ["invoke_agent", undefined],
  ];
  assertEquals([tree("caller"), tree("run")], [whole, whole]);
  const [tokens] = received.flatMap(({ attributes }) => attributes).filter(({ key }) =>
    key === "gen_ai.usage.input_tokens"
  );
  assertEquals(tokens?.value, { intValue: "12" });
});
