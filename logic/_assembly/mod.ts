/**
 * How a prompt is laid out, measured, hashed and accounted for. Pure.
 *
 * @module
 */
export * from "./history.ts";
export * from "./observation_template.ts";
export * from "./prompt_assembly.ts";
