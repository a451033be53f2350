import type { RunWait } from "../../ports/mod.ts";
import { errorInfo, present } from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";
import { thrownInfo } from "../_live/thrown_info.ts";
import { awaitedAt } from "../_reading/awaited_at.ts";

/** The run is left to be resumed: what is known is written, and the log says how it goes on. */
export interface Suspension {
  /** Tells it from the finished record. */
  readonly type: "suspended";
  /** Whether the caller aborted it, or a model call failed that is to be made again. */
  readonly why: "abort" | "model_call_failed";
  /** The reason of the abort, or what the call threw. */
  readonly cause: unknown;
}

/** Whether an abort has the run suspended. */
export function isSuspending({ interrupt, options }: LiveRun): boolean {
  return interrupt.aborted && options.onAbort === "suspend";
}

/** Suspends a run that was aborted: what is known is written. */
export async function suspend({ journal, interrupt }: LiveRun): Promise<Suspension> {
  await journal.flush();
  return { type: "suspended", why: "abort", cause: interrupt.reason };
}

/** Tells that the run stopped before its end. */
export function emitSuspended(
  live: LiveRun,
  why: Suspension["why"] | "error",
  error?: unknown,
): void {
  const { events } = live;
  if (!events.listening) return;
  const told = why === "error" ? thrownInfo(live, error) : errorInfo(error);
  const thrown = why === "abort" ? undefined : told;
  const suspended = { type: "run_suspended", why, error: thrown, waitsFor: waitOf(live) } as const;
  events.emit(present(suspended));
}

function waitOf({ journal: { position }, options }: LiveRun): RunWait {
  if (position.kind === "finished") return { kind: "run_end" };
  if (position.kind !== "in_step") return { kind: "next_step" };
  const { kind, action } = awaitedAt(position);
  if (action === undefined) return { kind };
  const asks = kind === "next_action" && options.approveAction !== undefined;
  return { kind: asks ? "approval" : kind, actionId: action.actionId };
}
