import type { SpanStart, SpanValue } from "./span_parts.ts";

/** The value of an attribute, as a tracer takes it. */
export type OtelValue = string | number | bigint | readonly string[];

/** Options of a span, as of `@opentelemetry/api`. */
export interface OtelSpanOptions {
  /** 0 for a part of the program, 2 for a call of a server. */
  readonly kind: number;
  /** When it began: milliseconds since 1970. */
  readonly startTime: number;
  /** What is known of it. */
  readonly attributes: Readonly<Record<string, OtelValue>>;
}

/** Which trace a span belongs to. */
export interface OtelSpanContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** 1 where the trace is sampled. */
  readonly traceFlags: number;
  /** Whether it comes from another process. */
  readonly isRemote?: boolean;
}

/** A span, as of `@opentelemetry/api`. */
export interface OtelSpan {
  /** Which trace it belongs to. */
  spanContext(): OtelSpanContext;
  /** Adds what is known of it. */
  setAttributes(attributes: Readonly<Record<string, OtelValue>>): unknown;
  /** Says what is wrong: `code` 2. */
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  /** Ends it, at a time in milliseconds since 1970. */
  end(endTime?: number): void;
}

/** What a span is begun in, as of `@opentelemetry/api`. */
export interface OtelContext {
  /** What is kept under a key. */
  getValue(key: symbol): unknown;
  /** A context with something under a key. */
  setValue(key: symbol, value: unknown): OtelContext;
  /** A context with nothing under a key. */
  deleteValue(key: symbol): OtelContext;
}

/** A tracer: that of Deno's own telemetry, or of `@opentelemetry/api`. */
export interface OtelTracer {
  /** Begins a span: in a context, or absent that in the one that is active. */
  startSpan(name: string, options?: OtelSpanOptions, context?: OtelContext): OtelSpan;
}

/** How whole numbers reach a tracer. */
export type OtelIntegers = "number" | "bigint";

/** The key of a context's span: a registered symbol, so that a span of any copy of the API is found. */
const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");

/** A context in which a span is the active one. */
export function contextOf(span: Pick<OtelSpan, "spanContext">): OtelContext {
  return contextWith(new Map<symbol, unknown>([[SPAN_KEY, span]]));
}

/** A span of another process, or of none: it is known by its ids alone. */
export function remoteSpan(traceId: string, spanId: string): Pick<OtelSpan, "spanContext"> {
  return { spanContext: () => ({ traceId, spanId, traceFlags: 1, isRemote: true }) };
}

/** What a tracer is told of a span that begins. */
export function spanOptions(
  { kind, attributes }: SpanStart,
  startTime: number,
  integers: OtelIntegers,
): OtelSpanOptions {
  return {
    kind: kind === "client" ? 2 : 0,
    startTime,
    attributes: otelAttributes(attributes, integers),
  };
}

/** Attributes as a tracer takes them. */
export function otelAttributes(
  attributes: Readonly<Record<string, SpanValue>>,
  integers: OtelIntegers,
): Readonly<Record<string, OtelValue>> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, otelValue(value, integers)]),
  );
}

function otelValue(value: SpanValue, integers: OtelIntegers): OtelValue {
  if (typeof value === "string") return value;
  if ("integer" in value) return integers === "bigint" ? BigInt(value.integer) : value.integer;
  return "double" in value ? value.double : value;
}

function contextWith(values: ReadonlyMap<symbol, unknown>): OtelContext {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextWith(new Map([...values, [key, value]])),
    deleteValue: (key) => contextWith(new Map([...values].filter(([known]) => known !== key))),
  };
}
