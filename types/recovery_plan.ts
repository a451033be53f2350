/**
 * Where a resumed run goes on, as its log says.
 *
 * - `return_result`: the run has finished; nothing is called and nothing written.
 * - `next_step`: no step is open; the stop conditions are asked, then the next step begins.
 * - `replay_call`: a model call has no reply and may be replayed, under the same id.
 * - `record_unknown_call`: a model call has no reply and may not be replayed; its step is recorded as unknown.
 * - `ask_again`: a model call was withdrawn; it is made again, under the same id.
 * - `edit`: the prompt is being edited; that goes on where the record of edits ends, then the model is called.
 * - `interpret`: a reply has no decision.
 * - `next_action`: a decision has actions left.
 * - `record_step`: all that a step does is recorded, its end is not.
 * - `replay_action`: an action has no result and may be replayed, under the same id.
 * - `resolve_action`: an action has no result and the caller brought someone to ask.
 * - `record_unknown_action`: an action has no result and nobody knows; it is recorded as unknown.
 */
export type RecoveryPlan = (typeof RECOVERY_PLANS)[number];

/** Every {@link RecoveryPlan}. */
export const RECOVERY_PLANS = [
  "return_result",
  "next_step",
  "replay_call",
  "record_unknown_call",
  "ask_again",
  "edit",
  "interpret",
  "next_action",
  "record_step",
  "replay_action",
  "resolve_action",
  "record_unknown_action",
] as const;
