/** The contract of a registry's executor, on whatever runtime. */
import { defineTool, EnvironmentError, ToolRegistry } from "@polyloop/polyloop";
import {
  type ContractCase,
  executorContract,
  type ExecutorContractOptions,
} from "@polyloop/polyloop/contract";

const PARAMETERS = { type: "object", properties: { n: { type: "integer" } } } as const;

function registryExecutor() {
  return ToolRegistry.of([
    defineTool({
      name: "double",
      description: "Doubles a number.",
      parameters: { ...PARAMETERS, required: ["n"], additionalProperties: false },
      execute: ({ n }) => 2 * n,
      replay: "replayable",
      completes: true,
      maxObservationChars: 3,
    }),
    defineTool({
      name: "fail",
      description: "Fails.",
      parameters: PARAMETERS,
      execute() {
        throw new Error("as it should");
      },
    }),
    defineTool({
      name: "ids",
      description: "Says by what ids it is called.",
      parameters: PARAMETERS,
      execute: (_, { actionId, attempt }) => `${actionId}, attempt ${attempt}`,
    }),
    defineTool({
      name: "wait",
      description: "Waits.",
      parameters: PARAMETERS,
      execute: (_, { signal }) =>
        new Promise((_, reject) => {
          const gone = () => reject(new EnvironmentError("the signal was aborted"));
          signal.addEventListener("abort", gone);
        }),
    }),
  ]).executor();
}

const REGISTRY: ExecutorContractOptions<ReturnType<typeof registryExecutor>> = {
  makeExecutor: registryExecutor,
  samples: [
    { action: { tool: "double", arguments: { n: 4 } }, toolName: "double", result: "succeeds" },
    { action: { tool: "double", arguments: { n: 12_345 } }, result: "succeeds" },
    { action: { tool: "fail", arguments: {} }, toolName: "fail", result: "fails" },
    { action: { tool: "double", arguments: { n: "4" } }, toolName: "double", result: "refused" },
    { action: { tool: "triple", arguments: {} }, toolName: "triple", result: "refused" },
    { action: { tool: "double" }, result: "refused" },
    { action: { tool: "__proto__", arguments: {} }, result: "refused" },
    { action: null, result: "refused" },
  ],
  endlessAction: { tool: "wait", arguments: {} },
  idAction: { tool: "ids", arguments: {} },
  isShared: true,
};

/** The cases of the executor. */
export const REGISTRY_CASES: Readonly<Record<string, readonly ContractCase[]>> = {
  "ToolRegistry.executor()": executorContract(REGISTRY),
};
