import type { ReplayPolicy, RunFinishedRecord } from "../../types/mod.ts";
import {
  actionResults,
  type CalledStep,
  type DecidedStep,
  type EditPass,
  endsStep,
  type IntendedAction,
  intendedActions,
  isTooLong,
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
  | { readonly kind: "next_step" | "edit" }
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
      return { kind: "next_step" };
    case "between_steps":
      return position.pass === undefined
        ? { kind: "next_step" }
        : nextOfPass(position.pass, policies);
    case "in_step":
      break;
  }
  const { open, pass } = position;
  if (pass !== undefined) return nextOfPass(pass, policies);
  if (isTooLong(position)) return { kind: "edit" };
  switch (open.phase) {
    case "called":
    case "withdrawn":
      return nextOfCall(open, policies);
    case "replied":
      return { kind: "interpret", step: open };
    case "decided":
      return nextOfDecided(open, policies, position.settings.maxConcurrentActions);
  }
}

/** What comes next in the editing of a prompt: a summary whose reply is there is judged with the rest. */
function nextOfPass({ summary }: EditPass, policies: RecoveryPolicies): Next {
  return summary === undefined || summary.phase === "replied"
    ? { kind: "edit" }
    : nextOfCall(summary, policies);
}

function nextOfCall(step: CalledStep | WithdrawnStep, { modelCall }: RecoveryPolicies): Next {
  if (step.phase === "withdrawn") return { kind: "ask_again", step };
  return { kind: modelCall === "replayable" ? "replay_call" : "record_unknown_call", step };
}

function nextOfDecided(
  step: DecidedStep,
  { openAction, concurrent, canResolve }: RecoveryPolicies,
  maxConcurrentActions: number,
): Next {
  const intended = intendedActions(step);
  const open = intended[0];
  if (open !== undefined) {
    const mayReplay = (action: IntendedAction) =>
      action.intent.replayPolicy === "replayable" && openAction(action) === "replayable";
    const doubtful = intended.find((action) => !mayReplay(action));
    if (doubtful === undefined) {
      return { kind: "replay_action", actions: [open, ...intended.slice(1)] };
    }
    return { kind: canResolve ? "resolve_action" : "record_unknown_action", action: doubtful };
  }
  const waiting = waitingActions(step);
  const next = waiting[0];
  if (next === undefined || actionResults(step).some(endsStep)) {
    return { kind: "record_step", step };
  }
  if (maxConcurrentActions === 1 || !concurrent(next)) {
    return { kind: "next_action", actions: [next] };
  }
  const near = waiting.slice(1)
    .filter(({ ordinal }) => ordinal < next.ordinal + maxConcurrentActions);
  const end = near.findIndex((action) => !concurrent(action));
  const beside = end === -1 ? near : near.slice(0, end);
  return { kind: "next_action", actions: [next, ...beside] };
}
