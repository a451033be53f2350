/**
 * The ordered stop decision: three tiers, each a table of conditions. Pure.
 *
 * @module
 */
export * from "./stop_decision.ts";
