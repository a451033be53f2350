import type { OtlpTrace } from "../../../adapters/otel_events.ts";
import type {
  OtelSpan,
  OtelSpanOptions,
  OtelTracer,
  OtelValue,
} from "../../../adapters/otel_events.ts";

/** A span that has ended, as a test compares it. */
export interface KeptSpan {
  readonly name: string;
  readonly kind: number;
  /** The name of the span that it is in; its trace and its id where that is remote. Absent: it is in none. */
  readonly parent?: string;
  readonly attributes: Readonly<Record<string, OtelValue>>;
  readonly error?: string;
  readonly startMs: number;
  readonly endMs: number;
}

const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");

/** A tracer that keeps its spans, in the order in which they ended. */
export function keepingTracer(): OtelTracer & { readonly spans: readonly KeptSpan[] } {
  const spans: KeptSpan[] = [];
  const names = new Map<string, string>();
  let made = 0;
  return {
    spans,
    startSpan(name, options, context): OtelSpan {
      const { kind, attributes, startTime } = options as OtelSpanOptions;
      const given: Record<string, OtelValue> = { ...attributes };
      const spanId = String(made++).padStart(16, "0");
      names.set(spanId, name);
      const outer = context?.getValue(SPAN_KEY) as OtelSpan | undefined;
      const { traceId, spanId: outerId } = outer?.spanContext() ?? {};
      const parent = outerId && (names.get(outerId) ?? `${traceId} ${outerId}`);
      let error: string | undefined;
      return {
        spanContext: () => ({ traceId: "0".repeat(32), spanId, traceFlags: 1 }),
        setAttributes: (more) => Object.assign(given, more),
        setStatus: ({ code, message = "" }) => error = `${code} ${message}`,
        end: (endMs = NaN) => {
          spans.push({
            name,
            kind,
            attributes: given,
            startMs: startTime,
            endMs,
            ...(parent !== undefined && { parent }),
            ...(error !== undefined && { error }),
          });
        },
      };
    },
  };
}

/** The spans of a trace as a tracer would have kept them, the whole first. */
export function spansOf({ resourceSpans }: OtlpTrace): readonly KeptSpan[] {
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map((span) => ({
    name: span.name,
    kind: span.kind - 1,
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, valueOf(value)])),
    ...(span.parentSpanId !== undefined && { parent: names.get(span.parentSpanId)! }),
    ...(span.status.code === 2 && { error: `2 ${span.status.message}` }),
  }));
}

function valueOf(
  value: OtlpTrace["resourceSpans"][number]["resource"]["attributes"][number]["value"],
): OtelValue {
  if ("stringValue" in value) return value.stringValue;
  if ("intValue" in value) return Number(value.intValue);
  if ("doubleValue" in value) return value.doubleValue;
  return value.arrayValue.values.map((item) => String(valueOf(item)));
}
