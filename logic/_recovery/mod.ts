/**
 * What a log says about where a run stands, how it goes on after a crash, and in which settings it differs from the
 * present ones. Pure.
 *
 * @module
 */
export * from "./advance.ts";
export * from "./parameter_drifts.ts";
export * from "./plan_recovery.ts";
export * from "./position.ts";
export * from "./runs_beside.ts";
