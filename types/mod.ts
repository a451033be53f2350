/**
 * The values of the library: messages, budgets, stop reasons, the records of a log, errors; and the few pure
 * functions that several layers need: sizes, digests, canonical JSON, the framing of log lines, and what is done to the
 * texts that models and terminals read. It imports nothing.
 *
 * @example
 * ```ts
 * import { messageSize, STOP_REASONS } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(STOP_REASONS.length, 13);
 * assertEquals(messageSize({ role: "user", content: [{ type: "text", text: "hi" }] }), 2);
 * ```
 *
 * @module
 */
export * from "./_errors/environment_error.ts";
export * from "./_errors/error_info.ts";
export * from "./_errors/error_info_of.ts";
export * from "./_errors/log_errors.ts";
export * from "./_errors/model_call_error.ts";
export * from "./_errors/model_call_error_kind.ts";
export * from "./_errors/polyloop_error.ts";
export * from "./_errors/request_errors.ts";
export * from "./_errors/run_errors.ts";
export * from "./_errors/serialization_error.ts";
export * from "./_errors/store_failed_error.ts";
export * from "./_json/json_tokenizer.ts";
export * from "./_shape/action_shapes.ts";
export * from "./_shape/budget_shapes.ts";
export * from "./_shape/collection_shapes.ts";
export * from "./_shape/copy_shaped.ts";
export { decisionShape } from "./_shape/decision_shape.ts";
export { logRecordShape } from "./_shape/log_record_shapes.ts";
export * from "./_shape/message_shapes.ts";
export { modelReplyShape } from "./_shape/model_reply_shape.ts";
export {
  type ObjectFields,
  objectShape,
  type OptionalField,
  optionalField,
} from "./_shape/object_shape.ts";
export * from "./_shape/scalar_shapes.ts";
export {
  type CheckedShape,
  checkShape,
  type Shape,
  type ShapeFault,
  shapeFault,
  type ShapeLeniency,
} from "./_shape/shape.ts";
export * from "./_shape/stored_record_shape.ts";
export * from "./_shape/union_shapes.ts";
export * from "./_text/code_points.ts";
export * from "./_text/columns.ts";
export * from "./_text/counted.ts";
export * from "./_text/cut_text.ts";
export * from "./_text/duration.ts";
export * from "./_text/fill_text.ts";
export * from "./_text/harmless.ts";
export * from "./_text/model_texts.ts";
export * from "./_text/snake_case.ts";
export * from "./_text/style.ts";
export * from "./_text/write_text.ts";
export * from "./action_result.ts";
export * from "./budget.ts";
export * from "./decision.ts";
export * from "./digest.ts";
export * from "./is_same_json.ts";
export * from "./json.ts";
export * from "./log_line.ts";
export * from "./log_record.ts";
export * from "./message.ts";
export * from "./model_reply.ts";
export * from "./present.ts";
export * from "./recovery_plan.ts";
export * from "./run_catalog.ts";
export * from "./run_result.ts";
export * from "./run_settings.ts";
export * from "./size.ts";
export * from "./step_record.ts";
export * from "./stop_reason.ts";
export * from "./stored_record.ts";
