/**
 * Tools: their specification, an immutable registry, JSON Schema validation, and the executor that a registry gives.
 *
 * @module
 */
export * from "./parse_faithful_json.ts";
