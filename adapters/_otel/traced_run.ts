import type { ActionFinishedEvent, ModelCallFinishedEvent, RunEvent } from "../../ports/mod.ts";
import type { JsonValue, StepRecord, Usage } from "../../types/mod.ts";
import {
  ABANDONED,
  addUsage,
  agentEnd,
  agentSpan,
  chatEnd,
  chatSpan,
  failedChatEnd,
  type SpanAttributes,
  type SpanEnd,
  type SpanOptions,
  type SpanStart,
  suspendedEnd,
  toolEnd,
  toolSpan,
} from "./span_parts.ts";
import {
  contextOf,
  otelAttributes,
  type OtelContext,
  type OtelIntegers,
  type OtelSpan,
  type OtelTracer,
  spanOptions,
} from "./tracer.ts";

/** How spans are made. */
export interface Tracing extends SpanOptions {
  readonly tracer: OtelTracer;
  readonly integers: OtelIntegers;
}

/** An event that begins a part of a run. */
export type BeginningEvent = Extract<RunEvent, { readonly type: "run_started" | "run_resumed" }>;

/** The spans of a run, or of the part of it that this process drives. */
export class TracedRun {
  readonly #tracing: Tracing;
  readonly #agent: OtelSpan;
  readonly #within: OtelContext;
  /** The calls and actions that have no end yet, by their ids. */
  readonly #open = new Map<string, OtelSpan>();
  /** When the actions ended whose results are yet to come. */
  readonly #endedMs = new Map<string, number>();
  #usage: Usage = {};
  #callStartMs = 0;
  #firstPieceMs: number | undefined;
  #answer: JsonValue | undefined;

  /** Begins its span. */
  constructor(event: BeginningEvent, tracing: Tracing, parent: OtelContext | undefined) {
    this.#tracing = tracing;
    const plan = event.type === "run_resumed" ? event.plan : undefined;
    const start = agentSpan({ runId: event.runId, plan }, tracing);
    this.#agent = this.#begin(start, timeOf(event), parent);
    this.#within = contextOf(this.#agent);
  }

  /** Takes an event of the run. */
  take(event: RunEvent): void {
    switch (event.type) {
      case "model_call_started":
        this.#callStartMs = timeOf(event);
        this.#firstPieceMs = undefined;
        return this.#beginChild(event.callId, chatSpan(event, this.#tracing), event);
      case "model_delta":
        this.#firstPieceMs ??= timeOf(event);
        return;
      case "model_call_finished":
        this.#usage = addUsage(this.#usage, event.usage);
        return this.#endChild(event.callId, this.#endOfCall(event), timeOf(event));
      case "action_started":
        return this.#beginChild(event.actionId, toolSpan(event, this.#tracing), event);
      case "action_finished":
        return this.#endAction(event);
      case "step_recorded":
        return this.#endStep(event.step);
      case "run_suspended":
        return this.#end(suspendedEnd({ ...event, usage: this.#usage }), timeOf(event));
      case "run_finished": {
        const end = { ...event, usage: this.#usage, answer: this.#answer };
        return this.#end(agentEnd(end, this.#tracing), timeOf(event));
      }
    }
  }

  #endOfCall(event: ModelCallFinishedEvent): SpanEnd {
    if (event.outcome !== "replied") return failedChatEnd(event.error);
    const first = this.#firstPieceMs;
    const firstPieceSeconds = first === undefined ? undefined : (first - this.#callStartMs) / 1_000;
    return chatEnd({ ...event, firstPieceSeconds });
  }

  /** What an action gave is told with its step alone: where that is to be shown, its span waits for it. */
  #endAction(event: ActionFinishedEvent): void {
    if (this.#tracing.content) this.#endedMs.set(event.actionId, timeOf(event));
    else this.#endChild(event.actionId, toolEnd(event, this.#tracing), timeOf(event));
  }

  #endStep({ actions, decision }: StepRecord): void {
    for (const action of actions) {
      const endMs = this.#endedMs.get(action.actionId);
      if (endMs === undefined) continue;
      this.#endChild(action.actionId, toolEnd(action, this.#tracing), endMs);
    }
    this.#endedMs.clear();
    if (decision?.kind === "final_answer") this.#answer = decision.answer;
  }

  #end(end: SpanEnd, ms: number): void {
    for (const id of [...this.#open.keys()]) this.#endChild(id, ABANDONED, ms);
    this.#endSpan(this.#agent, end, ms);
  }

  #beginChild(id: string, start: SpanStart, event: RunEvent): void {
    this.#open.set(id, this.#begin(start, timeOf(event), this.#within));
  }

  #endChild(id: string, end: SpanEnd, ms: number): void {
    const span = this.#open.get(id);
    if (span === undefined) return;
    this.#open.delete(id);
    this.#endSpan(span, end, ms);
  }

  #begin(start: SpanStart, ms: number, context: OtelContext | undefined): OtelSpan {
    const { tracer, integers } = this.#tracing;
    return tracer.startSpan(start.name, spanOptions(start, ms, integers), context);
  }

  #endSpan(span: OtelSpan, { attributes, error }: SpanEnd, ms: number): void {
    const { integers } = this.#tracing;
    const failed: SpanAttributes = error === undefined ? {} : { "error.type": error };
    span.setAttributes(otelAttributes({ ...attributes, ...failed }, integers));
    if (error !== undefined) span.setStatus({ code: 2, message: error });
    span.end(ms);
  }
}

function timeOf({ at }: RunEvent): number {
  return Date.parse(at);
}
