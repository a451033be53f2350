import type { RunStore } from "../../ports/mod.ts";
import { functionShape, objectShape, optionalField, requireShape } from "../../types/mod.ts";
import type { StoreContractOptions } from "./_store/bench.ts";
import { catalogCases } from "./_store/catalog_cases.ts";
import { chainCases } from "./_store/chain_cases.ts";
import { contentCases } from "./_store/content_cases.ts";
import { driverCases } from "./_store/driver_cases.ts";
import { leaseCases } from "./_store/lease_cases.ts";
import type { ContractCase } from "./contract_case.ts";

export type { StoreContractOptions } from "./_store/bench.ts";

/**
 * The contract of a {@link RunStore} as an array of cases: order, rival drivers, contents and sizes, run ids, reading
 * during writes, release, claims, and as far as the hooks are given the catalog, opening again, a crash, a second store
 * over the same data, leases and their end, a write that fails, an answer that gets lost.
 *
 * @example
 * ```ts
 * import { storeContract } from "@polyloop/polyloop/contract";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 *
 * for (const { name, run } of storeContract({ makeStore: memoryStore, catalog: (store) => store })) {
 *   Deno.test(`memoryStore: ${name}`, run);
 * }
 * ```
 *
 * @throws {InvalidRequestError} If an option is not as it must be, or there is none of its name.
 */
export function storeContract<S extends RunStore>(
  options: StoreContractOptions<S>,
): readonly ContractCase[] {
  requireShape<StoreContractOptions<S>>(
    "options",
    options,
    objectShape({
      makeStore: functionShape(),
      catalog: optionalField(functionShape()),
      reopen: optionalField(functionShape()),
      crash: optionalField(functionShape()),
      openBeside: optionalField(functionShape()),
      letLeasesEnd: optionalField(functionShape()),
      failNextWrite: optionalField(functionShape()),
      loseNextAnswer: optionalField(functionShape()),
      dispose: optionalField(functionShape()),
    }),
  );
  const groups = [chainCases, contentCases, driverCases, leaseCases, catalogCases];
  return groups.flatMap((cases) => cases(options));
}
