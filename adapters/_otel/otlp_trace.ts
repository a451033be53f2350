import type { ActionRecord, StepRecord, Usage } from "../../types/mod.ts";
import {
  addUsage,
  agentEnd,
  agentSpan,
  chatEnd,
  chatSpan,
  failedChatEnd,
  type SpanAttributes,
  type SpanEnd,
  type SpanOptions,
  type SpanValue,
  type TimedSpan,
  toolEnd,
  toolSpan,
} from "./span_parts.ts";
import { summarySpans } from "./summary_spans.ts";
import { spanIdOf, traceIdOf } from "./trace_ids.ts";
import type { TracedLog } from "./traced_log.ts";

/** A value of an attribute, as OTLP has it. */
export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/** An attribute, as OTLP has it. */
export interface OtlpAttribute {
  /** Its name. */
  readonly key: string;
  /** Its value. */
  readonly value: OtlpValue;
}

/** A span, as OTLP has it. */
export interface OtlpSpan {
  /** The trace: 32 hex digits. */
  readonly traceId: string;
  /** The span: 16 hex digits. */
  readonly spanId: string;
  /** The span that it is a part of. Absent: it is the whole. */
  readonly parentSpanId?: string;
  /** What it is of. */
  readonly name: string;
  /** 1 for a part of the program, 3 for a call of a server. */
  readonly kind: 1 | 3;
  /** When it began: nanoseconds since 1970, as digits. */
  readonly startTimeUnixNano: string;
  /** When it ended. */
  readonly endTimeUnixNano: string;
  /** What is known of it. */
  readonly attributes: readonly OtlpAttribute[];
  /** `code` 2 where something is wrong with what it stands for, with the word for it. */
  readonly status: { readonly code: 0 } | { readonly code: 2; readonly message: string };
}

/** A trace, as a collector takes it by HTTP: `POST /v1/traces` with `content-type: application/json`. */
export interface OtlpTrace {
  /** One resource with one scope. */
  readonly resourceSpans: readonly {
    /** What the spans are of. */
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    /** The spans by what made them. */
    readonly scopeSpans: readonly {
      /** What made them. */
      readonly scope: { readonly name: string; readonly version: string };
      /** The spans. */
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
}

/** A log as one trace, whatever became of the processes that wrote it. */
export function traceOf(log: TracedLog, options: SpanOptions): OtlpTrace {
  const { started: { runtime, at }, steps } = log;
  const startMs = Date.parse(at);
  const children = [
    ...steps.flatMap((step) => {
      const summaries = summarySpans(log, step.stepIndex, options);
      return [...summaries, ...stepSpans(log.runId, step, summaries, options)];
    }),
    ...summarySpans(log, steps.length, options),
  ];
  const finishedMs = log.finished === undefined ? startMs : Date.parse(log.finished.at);
  const endMs = children.reduce((last, span) => Math.max(last, span.endMs), finishedMs);
  const root = { id: log.runId, start: agentSpan(log, options), end: endOf(log, options) };
  const spans = [{ ...root, startMs, endMs }, ...children];
  const traceId = traceIdOf(log.runId);
  const rootId = spanIdOf(log.runId);
  return {
    resourceSpans: [{
      resource: { attributes: otlpAttributes({ "service.name": options.agentName ?? "polyloop" }) },
      scopeSpans: [{
        scope: { name: "polyloop", version: runtime.polyloop },
        spans: spans.map((span, i) => otlpSpan(span, traceId, i === 0 ? undefined : rootId)),
      }],
    }],
  };
}

function endOf(
  { finished, steps, summaries = [], logHead }: TracedLog,
  options: SpanOptions,
): SpanEnd {
  if (finished === undefined) return { attributes: { "polyloop.log_head": logHead } };
  const { stopReason, stopConditions, answer } = finished;
  const usage = [...steps, ...summaries].reduce<Usage>(
    (sum, { reply }) => addUsage(sum, reply?.usage),
    {},
  );
  return agentEnd({ stopReason, stopConditions, usage, logHead, answer }, options);
}

/**
 * A step's call and its executed actions, one after the other: the log knows how long each action took, and the time of
 * the summaries before the call is in the step's.
 */
function stepSpans(
  runId: string,
  step: StepRecord,
  summaries: readonly TimedSpan[],
  options: SpanOptions,
): readonly TimedSpan[] {
  const startMs = Date.parse(step.startedAt);
  const summingMs = startMs - (summaries[0]?.startMs ?? startMs);
  const tried = step.actions.filter(({ attempts }) => attempts > 0);
  const actingMs = tried.reduce((sum, { durationMs }) => sum + durationMs, 0);
  let clockMs = startMs + Math.max(0, step.durationMs - actingMs - summingMs);
  const chat = {
    id: step.modelCallId,
    start: chatSpan({ runId, stepIndex: step.stepIndex, attempt: step.modelAttempts }, options),
    end: step.reply === undefined ? failedChatEnd(step.error) : chatEnd(step.reply),
    startMs,
    endMs: clockMs,
  };
  const actions = tried.map((action) => {
    const actedMs = clockMs;
    clockMs += action.durationMs;
    return actionSpan(runId, step.stepIndex, action, { startMs: actedMs, endMs: clockMs }, options);
  });
  return [chat, ...actions];
}

function actionSpan(
  runId: string,
  stepIndex: number,
  record: ActionRecord,
  times: Pick<TimedSpan, "startMs" | "endMs">,
  options: SpanOptions,
): TimedSpan {
  const { actionId, action, toolName, attempts: attempt } = record;
  const facts = { runId, stepIndex, attempt, actionId, action, toolName };
  return { id: actionId, start: toolSpan(facts, options), end: toolEnd(record, options), ...times };
}

function otlpSpan(
  { id, start, end, startMs, endMs }: TimedSpan,
  traceId: string,
  parentSpanId: string | undefined,
): OtlpSpan {
  const error: SpanAttributes = end.error === undefined ? {} : { "error.type": end.error };
  const parent = parentSpanId === undefined ? {} : { parentSpanId };
  return {
    traceId,
    spanId: spanIdOf(id),
    ...parent,
    name: start.name,
    kind: start.kind === "client" ? 3 : 1,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: otlpAttributes({ ...start.attributes, ...end.attributes, ...error }),
    status: end.error === undefined ? { code: 0 } : { code: 2, message: end.error },
  };
}

/** Milliseconds in nanoseconds: more digits than a double holds. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function otlpAttributes(
  attributes: Readonly<Record<string, SpanValue>>,
): readonly OtlpAttribute[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: SpanValue): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if ("integer" in value) return { intValue: String(value.integer) };
  if ("double" in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
