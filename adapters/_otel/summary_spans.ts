import {
  chatEnd,
  chatSpan,
  failedChatEnd,
  type SpanOptions,
  type TimedSpan,
} from "./span_parts.ts";
import type { TracedLog } from "./traced_log.ts";

/** The calls that summed up steps for the prompt of a step, each until the next call began: a log does not say more. */
export function summarySpans(
  log: TracedLog,
  stepIndex: number,
  options: SpanOptions,
): readonly TimedSpan[] {
  const { runId, calls = [] } = log;
  const ids = new Set(
    calls.filter((call) => call.stepIndex === stepIndex && call.purpose !== undefined)
      .map(({ callId }) => callId),
  );
  return [...ids].map((id) => {
    const first = calls.findIndex(({ callId }) => callId === id);
    const last = calls.findLastIndex(({ callId }) => callId === id);
    const attempt = calls.filter(({ callId }) => callId === id).length;
    const startMs = Date.parse(calls[first]?.at ?? "");
    return {
      id,
      start: chatSpan({ runId, stepIndex, attempt, purpose: "summary" }, options),
      end: endOf(log, id),
      startMs,
      endMs: Date.parse((calls[last + 1] ?? calls[last])?.at ?? ""),
    };
  });
}

function endOf({ summaries = [], edits = [] }: TracedLog, id: string): TimedSpan["end"] {
  const reply = summaries.find(({ callId }) => callId === id)?.reply;
  if (reply !== undefined) return chatEnd(reply);
  const failed = edits.find((edit) => edit.type === "context_edit_failed" && edit.callId === id);
  return failedChatEnd(failed?.type === "context_edit_failed" ? failed.error : undefined);
}
