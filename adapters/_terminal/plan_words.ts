import type { RecoveryPlan } from "../../types/mod.ts";

/** What a resumed run does first. */
export const PLAN_WORDS: Readonly<Record<RecoveryPlan, string>> = {
  return_result: "it has finished",
  next_step: "the next step begins",
  replay_call: "the model is asked again, as its reply is lost",
  record_unknown_call: "the reply that is lost is recorded as unknown",
  ask_again: "the model is asked again, as its call was withdrawn",
  edit: "the prompt is shortened",
  interpret: "the reply is read",
  next_action: "the next action is begun",
  record_step: "the end of the step is recorded",
  replay_action: "the action is repeated, as its result is lost",
  resolve_action: "what became of the action is asked",
  record_unknown_action: "the action is recorded as unknown, as its result is lost",
};
