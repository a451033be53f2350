/**
 * How a prompt is laid out, edited, measured, hashed and accounted for. Pure.
 *
 * @module
 */
export * from "./apply_edit.ts";
export * from "./history.ts";
export * from "./history_unit.ts";
export * from "./observation_template.ts";
export * from "./plan_edits.ts";
export * from "./prompt_assembly.ts";
export * from "./summary_prompt.ts";
