/**
 * The ordered stop decision: three tiers, each a table of conditions. Pure.
 *
 * @module
 */
export { estimatedTokens } from "./input_tokens.ts";
export * from "./stop_decision.ts";
