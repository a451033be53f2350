/**
 * The five ports: where a run reaches a model, an interpreter of its replies, an executor of actions, a store and a
 * sink for events. Each interface states its contract; there are no implementations here, and no sixth port. The values
 * that ports take and give are in `./types`.
 *
 * @example
 * ```ts
 * import type { DecisionInterpreter } from "@polyloop/polyloop/ports";
 *
 * const everythingIsAnAnswer: DecisionInterpreter = {
 *   interpret: (reply) => ({
 *     decision: { kind: "final_answer", answer: reply.text },
 *     historyText: reply.text,
 *   }),
 *   parameters: () => ({ kind: "everything is an answer" }),
 * };
 * ```
 *
 * @module
 */
export * from "./action_event.ts";
export * from "./action_executor.ts";
export * from "./decision_interpreter.ts";
export * from "./event_base.ts";
export * from "./event_sink.ts";
export * from "./model_port.ts";
export * from "./prompt_assembled_event.ts";
export * from "./recorded_run.ts";
export * from "./run_event.ts";
export * from "./run_store.ts";
