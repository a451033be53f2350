/**
 * Tools: their specification, an immutable registry, JSON Schema validation, and the executor that a registry gives.
 *
 * @module
 */
export * from "./compile_schema.ts";
export * from "./parse_faithful_json.ts";
export * from "./schema_violation.ts";
