/**
 * Traces of runs: spans for a tracer of OpenTelemetry as a run goes on, or a finished log as one trace.
 *
 * Spans have the names and attributes of OpenTelemetry's conventions for generative AI as they were in August 2026, when
 * all of them were in development: `invoke_agent` for a run (or for the part of it that one process drives), within it
 * `chat` for each model call and `execute_tool` for each execution of an action. What the conventions have no word for is
 * named `polyloop.…`: the run's and the step's place, what became of an action, why the run stopped. No text of a prompt,
 * a reply or a result is in a span unless `content` says so.
 *
 * A trace is a view: a killed process takes the spans with it that were not sent. The log is the record, and
 * {@link otlpTrace} makes the trace of it that is whole.
 *
 * @example
 * ```ts
 * import { otelEvents, type OtelTracer } from "@polyloop/polyloop/adapters/otel-events";
 * import { assertEquals } from "@std/assert";
 *
 * // Under `OTEL_DENO=true`: Deno.telemetry.tracerProvider.getTracer("agent")
 * const ended: string[] = [];
 * const tracer: OtelTracer = {
 *   startSpan: (name) => ({
 *     spanContext: () => ({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 }),
 *     setAttributes: () => {},
 *     setStatus: () => {},
 *     end: () => void ended.push(name),
 *   }),
 * };
 * const events = otelEvents({ tracer, provider: "ollama", agentName: "diarist" }); // for defineAgent({ …, events })
 * const base = { runId: "diary", at: "2026-01-01T00:00:00.000Z" };
 * events.emit({ type: "run_started", sequence: 0, parameters: {}, ...base });
 * events.emit({
 *   type: "run_finished",
 *   sequence: 1,
 *   stopReason: "final_answer",
 *   stopConditions: ["final_answer"],
 *   counters: { steps: 0, modelCalls: 0, withdrawnCalls: 0, totalTokens: 0, largestPromptChars: 0 },
 *   ...base,
 * });
 * assertEquals(ended, ["invoke_agent diarist"]);
 * ```
 *
 * @module
 */
import type { EventSink, RunEvent } from "../ports/mod.ts";
import { InvalidRequestError, type KnownFields, refuseUnknownFields } from "../types/mod.ts";
import { type OtlpTrace, traceOf } from "./_otel/otlp_trace.ts";
import { isOwnTracer } from "./_otel/own_tracer.ts";
import type { SpanOptions } from "./_otel/span_parts.ts";
import { spanIdOf, traceIdOf } from "./_otel/trace_ids.ts";
import type { TracedLog } from "./_otel/traced_log.ts";
import { TracedRun, type Tracing } from "./_otel/traced_run.ts";
import {
  contextOf,
  type OtelContext,
  type OtelIntegers,
  type OtelTracer,
  remoteSpan,
} from "./_otel/tracer.ts";

export type { OtlpAttribute, OtlpSpan, OtlpTrace, OtlpValue } from "./_otel/otlp_trace.ts";
export type {
  OtelContext,
  OtelIntegers,
  OtelSpan,
  OtelSpanContext,
  OtelSpanOptions,
  OtelTracer,
  OtelValue,
} from "./_otel/tracer.ts";
export type { TracedLog } from "./_otel/traced_log.ts";

/** What spans say beside what a run tells. */
export interface TraceOptions {
  /** Who serves the model, `gen_ai.provider.name`: `openai`, `anthropic`, `ollama`. The conventions require it. */
  readonly provider: string;
  /** The model that is asked for, `gen_ai.request.model`. Absent: spans do not say. */
  readonly model?: string;
  /** The agent's name, `gen_ai.agent.name`. Absent: spans do not say. */
  readonly agentName?: string;
  /**
   * Whether arguments and results of actions and the answer are in the spans. Whoever reads the traces then reads them.
   *
   * @default {false}
   */
  readonly content?: boolean;
}

/** Options of {@link otelEvents}. */
export interface OtelEventsOptions extends TraceOptions {
  /** What makes the spans: Deno's own tracer, or one of `@opentelemetry/api`. */
  readonly tracer: OtelTracer;
  /**
   * How whole numbers are given to it. Deno's own tracer sends a number as a double and a bigint as an integer; the SDK
   * for JavaScript sends a whole number as an integer and drops a bigint in silence (both measured with Deno 2.9).
   *
   * By default `bigint` for Deno's own tracer and `number` for any other.
   */
  readonly integers?: OtelIntegers;
  /**
   * Which trace a run is in: `caller`, that of the span that is active where `run` or `resume` is called; `run`, one of
   * its own, the same for every process that drives the run, whose ids are digests of the run's id.
   *
   * @default {"caller"}
   */
  readonly trace?: "caller" | "run";
}

const TRACE_OPTIONS: KnownFields<TraceOptions> = {
  provider: true,
  model: true,
  agentName: true,
  content: true,
};

const OPTIONS: KnownFields<OtelEventsOptions> = {
  ...TRACE_OPTIONS,
  tracer: true,
  integers: true,
  trace: true,
};

/**
 * A sink that makes spans of the events of runs. Times are the events' own, so a slow tracer stretches none. What is
 * open when a run stops is ended with the error `abandoned`.
 *
 * @throws {InvalidRequestError} If there is no option of a name, or one is not as it must be.
 */
export function otelEvents(options: OtelEventsOptions): EventSink {
  refuseUnknownFields(options, OPTIONS);
  const { tracer, integers = integersOf(options.tracer), trace = "caller" } = options;
  if (typeof Object(tracer).startSpan !== "function") {
    throw new InvalidRequestError("tracer", tracer, 'it must have a function "startSpan"');
  }
  if (integers !== "number" && integers !== "bigint") {
    throw new InvalidRequestError("integers", integers, 'it must be "number" or "bigint"');
  }
  if (trace !== "caller" && trace !== "run") {
    throw new InvalidRequestError("trace", trace, 'it must be "caller" or "run"');
  }
  const tracing: Tracing = { ...checked(options), tracer, integers };
  const runs = new Map<string, TracedRun>();
  return {
    emit(event: RunEvent): void {
      const { runId, type } = event;
      if (type === "run_started" || type === "run_resumed") {
        const parent = trace === "run" ? wholeRun(runId) : undefined;
        runs.set(runId, new TracedRun(event, tracing, parent));
        return;
      }
      runs.get(runId)?.take(event);
      if (type === "run_suspended" || type === "run_finished") runs.delete(runId);
    },
    parameters: () => ({}),
  };
}

/**
 * A log as one trace, whole also after kills, for any collector: its JSON is the body of a `POST` to `/v1/traces`. The ids
 * of trace and spans are digests of the ids of run, calls and actions, so the same log gives the same trace; and the
 * trace is the one in which {@link otelEvents} with `trace: "run"` puts its spans. Within a step the log knows how long
 * each action took and the whole: a call is given what the actions leave.
 *
 * @param log What `readLog` gives.
 * @throws {InvalidRequestError} If there is no option of a name, or one is not as it must be.
 */
export function otlpTrace(log: TracedLog, options: TraceOptions): OtlpTrace {
  refuseUnknownFields(options, TRACE_OPTIONS);
  const { steps, started } = Object(log);
  if (!Array.isArray(steps) || typeof started !== "object") {
    throw new InvalidRequestError("log", log, "it must be what readLog gives");
  }
  return traceOf(log, checked(options));
}

function checked({ provider, model, agentName, content = false }: TraceOptions): SpanOptions {
  for (const [name, text] of Object.entries({ provider, model, agentName })) {
    if (typeof text === "string" || (text === undefined && name !== "provider")) continue;
    throw new InvalidRequestError(name, text, "it must be a string");
  }
  if (typeof content !== "boolean") {
    throw new InvalidRequestError("content", content, "it must be true or false");
  }
  return { provider, model, agentName, content };
}

/** The span that a run's whole trace is under: the one that {@link otlpTrace} begins with. */
function wholeRun(runId: string): OtelContext {
  return contextOf(remoteSpan(traceIdOf(runId), spanIdOf(runId)));
}

function integersOf(tracer: OtelTracer): OtelIntegers {
  return isOwnTracer(tracer) ? "bigint" : "number";
}
