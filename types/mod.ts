/**
 * What the other layers take of this folder: all that is published as `./types`, and what is not, since it may change:
 * the shapes that records are checked by, the ids that a run gives, the settings in a log, a tokenizer of JSON, and what
 * is done to the texts that models and terminals read.
 *
 * @module
 */
export { keyedDigest } from "./digest.ts";
export * from "./entry.ts";
export * from "./_errors/refuse_unknown_fields.ts";
export * from "./_errors/require_type.ts";
export * from "./_ids/run_ids.ts";
export * from "./_json/first_difference.ts";
export * from "./_json/is_same_json.ts";
export * from "./_json/json_tokenizer.ts";
export * from "./_package/version.ts";
export * from "./_runtime/runtime.ts";
export * from "./_shape/action_shapes.ts";
export * from "./_shape/budget_shapes.ts";
export * from "./_shape/collection_shapes.ts";
export { contextPolicyShape } from "./_shape/context_shapes.ts";
export * from "./_shape/copy_shaped.ts";
export { errorInfoShape } from "./_shape/error_info_shape.ts";
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
export * from "./_shape/run_origin_shapes.ts";
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
export * from "./_store/parsed_lines.ts";
export * from "./_text/absent_marker.ts";
export * from "./_text/columns.ts";
export * from "./_text/counted.ts";
export * from "./_text/cut_sections.ts";
export * from "./_text/cut_text.ts";
export * from "./_text/excerpt.ts";
export * from "./_text/duration.ts";
export * from "./_text/fill_text.ts";
export * from "./_text/harmless.ts";
export * from "./_text/model_texts.ts";
export * from "./_text/nearest_name.ts";
export * from "./_text/shown_difference.ts";
export * from "./_text/snake_case.ts";
export * from "./_text/style.ts";
export * from "./_text/tool_names.ts";
export * from "./_text/write_text.ts";
export * from "./run_settings.ts";
export type * from "./stored_record.ts";
