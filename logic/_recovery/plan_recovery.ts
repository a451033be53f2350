import type { ReplayPolicy, RunFinishedRecord } from "../../types/mod.ts";
import {
  actionResults,
  type CalledStep,
  type DecidedStep,
  endsStep,
  type IntendedAction,
  type Position,
  type RepliedStep,
  unsettledActions,
  type WaitingAction,
  type WithdrawnStep,
} from "./position.ts";

/** What is allowed now, beside what the log says was allowed then. */
export interface RecoveryPolicies {
  readonly modelCall: ReplayPolicy;
  /** The executor's present word for an action that has an intent and no result. */
  readonly openAction: (action: IntendedAction) => ReplayPolicy;
  /** Whether the caller brought someone who can tell what became of an action. */
  readonly canResolve: boolean;
}

/** What comes next in a run, with what it is done to. */
export type Next =
  | { readonly kind: "return_result"; readonly finished: RunFinishedRecord }
  | { readonly kind: "next_step" }
  | { readonly kind: "replay_call" | "record_unknown_call"; readonly step: CalledStep }
  | { readonly kind: "ask_again"; readonly step: WithdrawnStep }
  | { readonly kind: "interpret"; readonly step: RepliedStep }
  | { readonly kind: "next_action"; readonly action: WaitingAction }
  | {
    readonly kind: "replay_action" | "resolve_action" | "record_unknown_action";
    readonly action: IntendedAction;
  }
  | { readonly kind: "record_step"; readonly step: DecidedStep };

/**
 * What comes next where a run stands: at a resume, and after each thing that was done. It never guesses:
 * an open intent is replayed only if it may be, resolved only if someone is asked, and is unknown otherwise. What was
 * withdrawn is known not to count, and is done again.
 */
export function planRecovery(position: Position, policies: RecoveryPolicies): Next {
  switch (position.kind) {
    case "finished":
      return { kind: "return_result", finished: position.finished };
    case "unstarted":
    case "between_steps":
      return { kind: "next_step" };
    case "in_step":
      break;
  }
  const { open } = position;
  switch (open.phase) {
    case "called": {
      const mayReplay = policies.modelCall === "replayable";
      return { kind: mayReplay ? "replay_call" : "record_unknown_call", step: open };
    }
    case "withdrawn":
      return { kind: "ask_again", step: open };
    case "replied":
      return { kind: "interpret", step: open };
    case "decided":
      return nextOfDecided(open, policies);
  }
}

function nextOfDecided(
  step: DecidedStep,
  { openAction, canResolve }: RecoveryPolicies,
): Next {
  const [action] = unsettledActions(step);
  if (action?.state === "intended") {
    const mayReplay = action.intent.replayPolicy === "replayable" &&
      openAction(action) === "replayable";
    if (mayReplay) return { kind: "replay_action", action };
    return { kind: canResolve ? "resolve_action" : "record_unknown_action", action };
  }
  return action === undefined || actionResults(step).some(endsStep)
    ? { kind: "record_step", step }
    : { kind: "next_action", action };
}
