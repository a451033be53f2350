import type { ReplayPolicy, RunFinishedRecord } from "../../types/mod.ts";
import {
  actionResults,
  type CalledStep,
  type DecidedStep,
  endsStep,
  type IntendedAction,
  intendedActions,
  type Position,
  type RepliedStep,
  type WaitingAction,
  waitingActions,
  type WithdrawnStep,
} from "./position.ts";

/** What is allowed now, beside what the log says was allowed then. */
export interface RecoveryPolicies {
  readonly modelCall: ReplayPolicy;
  /** The executor's present word for an action that has an intent and no result. */
  readonly openAction: (action: IntendedAction) => ReplayPolicy;
  /** The executor's word on whether an action may run at the same time as others. */
  readonly concurrent: (action: WaitingAction) => boolean;
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
  | { readonly kind: "next_action"; readonly actions: readonly [WaitingAction, ...WaitingAction[]] }
  | {
    readonly kind: "replay_action";
    readonly actions: readonly [IntendedAction, ...IntendedAction[]];
  }
  | {
    readonly kind: "resolve_action" | "record_unknown_action";
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
      return nextOfDecided(open, policies, position.settings.maxConcurrentActions);
  }
}

function nextOfDecided(
  step: DecidedStep,
  { openAction, concurrent, canResolve }: RecoveryPolicies,
  maxConcurrentActions: number,
): Next {
  const [open, ...others] = intendedActions(step);
  if (open !== undefined) {
    const actions = [open, ...others] as const;
    const mayReplay = (action: IntendedAction) =>
      action.intent.replayPolicy === "replayable" && openAction(action) === "replayable";
    const doubtful = actions.find((action) => !mayReplay(action));
    if (doubtful === undefined) return { kind: "replay_action", actions };
    return { kind: canResolve ? "resolve_action" : "record_unknown_action", action: doubtful };
  }
  const [next, ...later] = waitingActions(step);
  if (next === undefined || actionResults(step).some(endsStep)) {
    return { kind: "record_step", step };
  }
  const near = later.filter(({ ordinal }) => ordinal < next.ordinal + maxConcurrentActions);
  if (near.length === 0 || !concurrent(next)) return { kind: "next_action", actions: [next] };
  const end = near.findIndex((action) => !concurrent(action));
  const beside = end === -1 ? near : near.slice(0, end);
  return { kind: "next_action", actions: [next, ...beside] };
}
