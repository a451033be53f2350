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

/** A program without a permission whose spans go to a port of this machine. */
function program(
  text: string,
  port: number,
  env: Readonly<Record<string, string>> = {},
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "--no-config"].concat(
      `data:application/typescript,${encodeURIComponent(text)}`,
    ),
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_DENO_CONSOLE: "ignore",
      ...env,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

async function ended(child: Deno.ChildProcess): Promise<Deno.CommandOutput> {
  await child.stdin.close();
  return await child.output();
}

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
  const { success, stderr } = await ended(program(PROGRAM, server.addr.port).spawn());
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

/** Drives a run, and another one when it is told to. */
const TWO_RUNS = PROGRAM.replace(
  "await run(agent, requestOf(trace));",
  `console.log((await run(agent, requestOf(trace))).stopReason);
   if (trace === "caller") await Deno.stdin.read(new Uint8Array(1));`,
);

Deno.test("a collector that does not answer holds up no run", async () => {
  const asked = Promise.withResolvers<void>();
  const answers = Promise.withResolvers<void>();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      await request.body?.cancel();
      if (new URL(request.url).pathname === "/v1/traces") asked.resolve();
      await answers.promise;
      return Response.json({});
    },
  );
  const child = program(TWO_RUNS, server.addr.port, { OTEL_BSP_SCHEDULE_DELAY: "10" }).spawn();
  const told = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  assertEquals((await told.read()).value, "final_answer\n");
  await asked.promise;
  const writer = child.stdin.getWriter();
  await writer.write(new Uint8Array(1));
  await writer.close();
  assertEquals((await told.read()).value, "final_answer\n");
  answers.resolve();
  await told.cancel();
  assertEquals((await child.status).code, 0);
  assertEquals(await new Response(child.stderr).text(), "");
});

Deno.test("where no collector listens a run goes on as ever, and nothing is said", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  const child = program(TWO_RUNS, port, { OTEL_BSP_SCHEDULE_DELAY: "10" }).spawn();
  const { success, stdout, stderr } = await ended(child);
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals([success, out, err], [true, "final_answer\nfinal_answer\n", ""]);
});
