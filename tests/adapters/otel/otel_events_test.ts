import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  otelEvents,
  type OtelEventsOptions,
  type OtelTracer,
  otlpTrace,
} from "../../../adapters/otel_events.ts";
import {
  type AgentDefinition,
  defineAgent,
  InvalidRequestError,
  ModelCallError,
  resume,
  run,
  type RunOptions,
} from "../../../mod.ts";
import type { ScriptedReply } from "../../../adapters/scripted_model.ts";
import { readLog } from "../../../session/mod.ts";
import { memoryStore } from "../../../stores/memory.ts";
import { agentOf, COMMANDS, leaveOpen, REPLIES, requestOf } from "../../cli/made_runs.ts";
import { longModel, POLICY, replied } from "../../session/long_runs/long_world.ts";
import { agentOf as worldAgentOf, requestOf as worldRequestOf } from "../../session/world.ts";
import { keepingTracer, type KeptSpan, spansOf } from "./kept_spans.ts";

const OPTIONS = {
  provider: "ollama",
  model: "m",
  agentName: "diarist",
} as const;

/** An agent of a script whose events become spans, and a store of its own. */
function traced(
  replies: readonly ScriptedReply[],
  options: Partial<OtelEventsOptions> = {},
): { readonly agent: AgentDefinition; readonly spans: readonly KeptSpan[] } {
  const tracer = keepingTracer();
  const { model } = agentOf(memoryStore(), replies);
  const events = otelEvents({ tracer, ...OPTIONS, ...options });
  return {
    agent: defineAgent({ model, interpreter: COMMANDS, store: memoryStore(), events }),
    spans: tracer.spans,
  };
}

/** A clock that moves on by a second each time it is asked. */
function seconds(): RunOptions {
  let now = Date.parse("2026-01-01T00:00:00.000Z");
  return { now: () => now += 1_000 };
}

Deno.test("otelEvents() makes a span of the run, and within it one of each call and each action", async () => {
  const { agent, spans } = traced(REPLIES);
  await run(agent, requestOf("r"), seconds());
  assertEquals(spans.map(({ name, kind, parent, error }) => [name, kind, parent, error]), [
    ["chat m", 2, "invoke_agent diarist", undefined],
    ["execute_tool do", 0, "invoke_agent diarist", undefined],
    ["chat m", 2, "invoke_agent diarist", undefined],
    ["chat m", 2, "invoke_agent diarist", "2 TypeError"],
    ["chat m", 2, "invoke_agent diarist", undefined],
    ["execute_tool do", 0, "invoke_agent diarist", "2 tool_error"],
    ["chat m", 2, "invoke_agent diarist", undefined],
    ["invoke_agent diarist", 0, undefined, undefined],
  ]);
  const [chat, tool, , failed] = spans;
  assertEquals(chat?.attributes, {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "ollama",
    "gen_ai.request.model": "m",
    "gen_ai.agent.name": "diarist",
    "gen_ai.conversation.id": "r",
    "polyloop.run.id": "r",
    "polyloop.step.index": 0,
    "polyloop.attempt": 1,
    "gen_ai.response.model": "m-1",
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.usage.output_tokens": 0,
  });
  assertEquals(tool?.attributes, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "do",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": "r/s0_a0",
    "gen_ai.agent.name": "diarist",
    "polyloop.run.id": "r",
    "polyloop.step.index": 0,
    "polyloop.attempt": 1,
    "polyloop.action.status": "executed",
  });
  assertEquals(failed?.attributes["error.type"], "TypeError");
  assertEquals(spans.at(-1)?.attributes, {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "ollama",
    "gen_ai.request.model": "m",
    "gen_ai.agent.name": "diarist",
    "gen_ai.conversation.id": "r",
    "polyloop.run.id": "r",
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.usage.output_tokens": 0,
    "polyloop.stop_reason": "final_answer",
    "polyloop.stop_conditions": ["final_answer"],
  });
});

Deno.test("otelEvents() gives spans the times of the events", async () => {
  const { agent, spans } = traced(["do look", "answer yes"]);
  await run(agent, requestOf("r"), seconds());
  for (const { startMs, endMs } of spans) assert(startMs < endMs);
  const [whole] = spans.slice(-1);
  for (const { startMs, endMs } of spans.slice(0, -1)) {
    assert(whole!.startMs < startMs && endMs < whole!.endMs);
  }
});

Deno.test("otelEvents() tells a run that a limit ended from one that did what it was for", async () => {
  const { agent, spans } = traced(["do look", "do look", "do look"]);
  const { budget } = requestOf("r");
  await run(agent, requestOf("r", { budget: { ...budget, maxSteps: 2 } }));
  const { error, attributes } = spans.at(-1)!;
  assertEquals([error, attributes["error.type"], attributes["polyloop.stop_reason"]], [
    "2 step_budget_exhausted",
    "step_budget_exhausted",
    "step_budget_exhausted",
  ]);
});

Deno.test("otelEvents() has no text of a run in a span unless it is told to", async () => {
  const secret = "do tell the s3cret";
  const texts = async (content: boolean) => {
    const { agent, spans } = traced([secret, "answer s3cret, too"], { content });
    await run(agent, requestOf("r"));
    return spans;
  };
  assert(!JSON.stringify(await texts(false)).includes("s3cret"));
  const [, tool, , whole] = await texts(true);
  assertEquals(tool?.attributes["gen_ai.tool.call.arguments"], '{"do":"tell the s3cret"}');
  assertEquals(tool?.attributes["gen_ai.tool.call.result"], "did tell the s3cret");
  assertEquals(
    whole?.attributes["gen_ai.output.messages"],
    '[{"role":"assistant","parts":[{"type":"text","content":"s3cret, too"}],"finish_reason":"stop"}]',
  );
});

Deno.test("otelEvents() ends what is open when a run is suspended, and begins anew when it is resumed", async () => {
  const abort = new AbortController();
  const tracer = keepingTracer();
  const store = memoryStore();
  const { model } = agentOf(store, ["do look", "answer yes"]);
  const events = otelEvents({ tracer, ...OPTIONS });
  const agent = defineAgent({ model, interpreter: COMMANDS, store, events });
  const executor = {
    execute: () => {
      abort.abort(new Error("enough"));
      return new Promise<never>(() => {});
    },
    parameters: () => ({}),
  };
  const suspended = run(agent, requestOf("r", { executor, cancelGraceMs: 0 }), {
    signal: abort.signal,
    onAbort: "suspend",
  });
  await suspended.catch(() => {});
  assertEquals(tracer.spans.map(({ name, error }) => [name, error]), [
    ["chat m", undefined],
    ["execute_tool do", "2 abandoned"],
    ["invoke_agent diarist", undefined],
  ]);
  assertEquals(tracer.spans[2]?.attributes["polyloop.suspended"], "abort");
  await resume(agent, requestOf("r", { executor, cancelGraceMs: 0 }));
  assertEquals(tracer.spans.slice(3).map(({ name }) => name), ["chat m", "invoke_agent diarist"]);
  assertEquals(tracer.spans.at(-1)?.attributes["polyloop.resume.plan"], "record_unknown_action");
});

Deno.test("otelEvents() keeps runs apart that go on at the same time", async () => {
  const { agent, spans } = traced(["do look", "answer yes"]);
  await Promise.all(["a", "b", "c"].map((id) => run(agent, requestOf(id))));
  for (const id of ["a", "b", "c"]) {
    const own = spans.filter(({ attributes }) => attributes["polyloop.run.id"] === id);
    assertEquals(own.map(({ name }) => name.split(" ")[0]), [
      "chat",
      "execute_tool",
      "chat",
      "invoke_agent",
    ]);
  }
});

Deno.test("otlpTrace() gives the spans that a sink gave of the run", async () => {
  const { agent, spans } = traced(REPLIES, { content: true, trace: "run" });
  const { runId } = await run(agent, requestOf("r"), seconds());
  const log = readLog((await agent.store.readRun(runId))!);
  const trace = otlpTrace(log, { ...OPTIONS, content: true });
  const [whole, ...parts] = spansOf(trace);
  const untimed = ({ startMs: _start, endMs: _end, ...span }: KeptSpan) => span;
  assertEquals(parts.map(untimed), spans.slice(0, -1).map(untimed));
  const { parent, ...last } = untimed(spans.at(-1)!);
  const { "polyloop.log_head": head, ...attributes } = whole!.attributes;
  assertEquals(head, log.logHead);
  assertEquals({ ...untimed(whole!), attributes }, last);
  const [root] = trace.resourceSpans[0]!.scopeSpans[0]!.spans;
  assertEquals(parent, `${root?.traceId} ${root?.spanId}`);
  for (const { startMs, endMs } of parts) {
    assert(whole!.startMs <= startMs && startMs <= endMs && endMs <= whole!.endMs);
  }
});

Deno.test("otelEvents() and otlpTrace() mark the calls that sum up steps, and count their tokens", async () => {
  for (const fails of [false, true]) {
    const tracer = keepingTracer();
    const usage = { inputTokens: 5, outputTokens: 1 };
    const said = (step: number) => ({
      ...replied(step > 16 ? "answer 1" : `do see ${step}`),
      usage,
    });
    const model = longModel(said, () => {
      if (fails) throw new ModelCallError("no", { kind: "timeout", retriable: false });
      return { text: "it went on", usage };
    });
    const events = otelEvents({ tracer, ...OPTIONS, trace: "run" });
    const stages = POLICY.stages.filter(({ kind }) => kind === "summarise");
    const contextPolicy = { ...POLICY, triggerChars: 170, targetChars: 120, stages };
    const agent = worldAgentOf(model, { events });
    await run(agent, worldRequestOf({ contextPolicy }), seconds());
    const log = readLog((await agent.store.readRun("r"))!);
    const [whole, ...parts] = spansOf(otlpTrace(log, OPTIONS));
    const { spans } = tracer;
    const untimed = ({ startMs: _start, endMs: _end, parent: _parent, ...span }: KeptSpan) => span;
    assertEquals(parts.map(untimed), spans.slice(0, -1).map(untimed));
    const summaries = parts.filter(({ attributes }) => attributes["polyloop.call.purpose"]);
    assert(summaries.length > 1);
    for (const { startMs, endMs, error } of summaries) {
      assert(startMs <= endMs);
      assertEquals(error, fails ? "2 timeout" : undefined);
    }
    const tokens = "gen_ai.usage.input_tokens";
    assertEquals(whole!.attributes[tokens], spans.at(-1)!.attributes[tokens]);
  }
});

Deno.test("otlpTrace() gives a trace of a log that a kill cut", async () => {
  const store = memoryStore();
  await leaveOpen(store, "r");
  const log = readLog((await store.readRun("r"))!);
  const trace = otlpTrace(log, { provider: "ollama" });
  assertEquals(spansOf(trace).map(({ name, error }) => [name, error]), [
    ["invoke_agent", undefined],
    ["chat", undefined],
    ["execute_tool do", undefined],
  ]);
  assertEquals(JSON.stringify(otlpTrace(log, { provider: "ollama" })), JSON.stringify(trace));
  const ids = trace.resourceSpans[0]!.scopeSpans[0]!.spans.map(({ spanId }) => spanId);
  assertEquals(new Set(ids).size, 3);
  assert(ids.every((id) => /^[0-9a-f]{16}$/.test(id) && /[1-9a-f]/.test(id)));
});

Deno.test("otelEvents() and otlpTrace() refuse options that are not as they must be", async () => {
  const store = memoryStore();
  await run(agentOf(store, ["answer yes"]), requestOf("r"));
  const log = readLog((await store.readRun("r"))!);
  const tracer = keepingTracer();
  const cases: readonly (readonly [options: object, place: string])[] = [
    [{}, "tracer"],
    [{ tracer: {} as OtelTracer }, "tracer"],
    [{ tracer }, "provider"],
    [{ tracer, provider: 1 }, "provider"],
    [{ tracer, provider: "p", model: null }, "model"],
    [{ tracer, provider: "p", content: "yes" }, "content"],
    [{ tracer, provider: "p", integers: "double" }, "integers"],
    [{ tracer, provider: "p", trace: "all" }, "trace"],
    [{ tracer, provider: "p", modell: "m" }, "modell"],
  ];
  for (const [options, place] of cases) {
    assertThrows(() => otelEvents(options as OtelEventsOptions), InvalidRequestError, `"${place}"`);
  }
  assertThrows(() => otlpTrace(log, { provider: 1 as never }), InvalidRequestError, '"provider"');
});
