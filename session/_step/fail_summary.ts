import type { OpenCall } from "../../logic/_recovery/mod.ts";
import { type ErrorInfo, present, type SummaryFailure } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";

/** Gathers that steps are not summed up. */
export function failSummary(
  { journal, steps, events }: LiveRun,
  call: OpenCall | undefined,
  reason: SummaryFailure,
  error?: ErrorInfo,
): undefined {
  const callId = call?.intent.callId;
  const failed = { stepIndex: steps.length, stage: "summarise", reason, callId, error } as const;
  journal.record(present({ type: "context_edit_failed", ...failed } as const));
  events.emit(present({ type: "context_edit_failed", ...failed } as const));
}
