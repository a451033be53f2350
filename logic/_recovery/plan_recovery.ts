import type { RecoveryPlan, ReplayPolicy } from "../../types/mod.ts";
import { actionsAreOver, plannedActions, type Position } from "./position.ts";

/** What is allowed now, beside what the log says was allowed then. */
export interface RecoveryPolicies {
  readonly modelCall: ReplayPolicy;
  /** The executor's present word for the action that has an intent and no result. */
  readonly openAction: ReplayPolicy;
  /** Whether the caller brought someone who can tell what became of an action. */
  readonly canResolve: boolean;
}

/**
 * Where a run goes on. It never guesses: an open intent is replayed only if it may be, resolved only if
 * someone is asked, and is unknown otherwise.
 */
export function planRecovery(position: Position, policies: RecoveryPolicies): RecoveryPlan {
  if (position.finished !== undefined) return "return_result";
  const { open } = position;
  if (open === undefined) return "next_step";
  if (open.reply === undefined) {
    return policies.modelCall === "replayable" ? "replay_call" : "record_unknown_call";
  }
  if (open.decision === undefined) return "interpret";
  if (open.openAction !== undefined) {
    const mayReplay = open.openAction.replayPolicy === "replayable" &&
      policies.openAction === "replayable";
    if (mayReplay) return "replay_action";
    return policies.canResolve ? "resolve_action" : "record_unknown_action";
  }
  if (plannedActions(open).length === 0 || actionsAreOver(open)) return "record_step";
  return "next_action";
}
