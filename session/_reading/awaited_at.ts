import {
  type InStep,
  type IntendedAction,
  planRecovery,
  type WaitingAction,
} from "../../logic/_recovery/mod.ts";

/** What a log waits for that ends inside a step; with an action, what of it. */
export type Awaited =
  | { readonly kind: "reply" | "decision" | "step_end"; readonly action?: never }
  | { readonly kind: "next_action"; readonly action: WaitingAction }
  | { readonly kind: "action_result"; readonly action: IntendedAction };

/** What a log waits for that ends inside a step. */
export function awaitedAt(position: InStep): Awaited {
  const next = planRecovery(position, {
    modelCall: "never",
    openAction: () => "never",
    concurrent: () => false,
    canResolve: false,
  });
  switch (next.kind) {
    case "record_unknown_call":
    case "ask_again":
    case "edit":
      return { kind: "reply" };
    case "interpret":
      return { kind: "decision" };
    case "record_unknown_action":
      return { kind: "action_result", action: next.action };
    case "next_action":
      return { kind: "next_action", action: next.actions[0] };
    default:
      return { kind: "step_end" };
  }
}
