/**
 * The contracts of the ports as cases that any test runner can run: an array of names and functions, each of which
 * rejects with an error where the implementation under test does not keep its contract.
 *
 * @example
 * ```ts
 * import { storeContract } from "@polyloop/polyloop/contract";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 *
 * const cases = storeContract({ makeStore: memoryStore });
 * for (const { name, run } of cases) {
 *   await run().catch((error) => Promise.reject(new Error(`${name}: ${error.message}`)));
 * }
 * ```
 *
 * @module
 */
export type { ContractCase } from "./contract_case.ts";
export * from "./event_sink_contract.ts";
export * from "./executor_contract.ts";
export * from "./explore_crashes.ts";
export * from "./interpreter_contract.ts";
export * from "./model_contract.ts";
export * from "./replay_run.ts";
export * from "./store_contract.ts";
