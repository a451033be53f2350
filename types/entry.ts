/**
 * The values of the library: messages, budgets, stop reasons, the records of a log, errors; and the few pure functions
 * that who writes a store or an adapter needs: sizes, digests, canonical JSON, code points, the framing of log lines. It
 * imports nothing.
 *
 * @example
 * ```ts
 * import { messageSize, STOP_REASONS } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(STOP_REASONS.length, 14);
 * assertEquals(messageSize({ role: "user", content: [{ type: "text", text: "hi" }] }), 2);
 * ```
 *
 * @module
 */
export * from "./_context/context_policy.ts";
export * from "./_context/context_records.ts";
export * from "./_errors/environment_error.ts";
export type * from "./_errors/error_info.ts";
export * from "./_errors/error_info_of.ts";
export * from "./_errors/log_errors.ts";
export * from "./_errors/model_call_error.ts";
export * from "./_errors/model_call_error_kind.ts";
export * from "./_errors/polyloop_error.ts";
export * from "./_errors/request_errors.ts";
export * from "./_errors/run_errors.ts";
export * from "./_errors/serialization_error.ts";
export * from "./_errors/store_failed_error.ts";
export type * from "./_store/lease_options.ts";
export * from "./_text/code_points.ts";
export * from "./action_result.ts";
export type * from "./budget.ts";
export * from "./decision.ts";
export { digest } from "./digest.ts";
export * from "./json.ts";
export * from "./log_line.ts";
export * from "./log_record.ts";
export * from "./message.ts";
export * from "./model_reply.ts";
export * from "./_shape/present.ts";
export * from "./recovery_plan.ts";
export * from "./replay_policy.ts";
export type * from "./run_catalog.ts";
export type * from "./_ids/redaction_note.ts";
export type * from "./_ids/run_origin.ts";
export type * from "./run_result.ts";
export type { RunSettings } from "./run_settings.ts";
export * from "./size.ts";
export * from "./step_record.ts";
export * from "./stop_reason.ts";
