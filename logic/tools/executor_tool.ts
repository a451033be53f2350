import type { ActionCall, ActionExecutor } from "../../ports/mod.ts";
import {
  type ActionOutcome,
  actionOutcomeShape,
  copyJson,
  copyShaped,
  errorInfoWithStack,
  InvalidRequestError,
  type JsonValue,
  type KnownFields,
  PortContractError,
  refuseUnknownFields,
} from "../../types/mod.ts";
import { ToolOutcome } from "./_made_outcome.ts";
import {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolDelegate,
  type ToolSpec,
} from "./define_tool.ts";
import type { FromSchema } from "./from_schema.ts";

/** What {@link executorTool} takes beside the executor. */
export interface ExecutorToolSpec<Schema extends object>
  extends Pick<ToolSpec<Schema>, "name" | "description" | "parameters"> {
  /**
   * The executor's action for arguments of the tool. Pure and quick: it is called before the action, too, to ask
   * whether that may be replayed.
   */
  action(args: FromSchema<Schema>): JsonValue;
}

/**
 * Makes a tool of an executor, so that a run has it beside tools of its own: a shell, a sandbox, an environment. What
 * the executor's outcome says holds: a command that failed is an action that failed; and what it throws is an
 * environment failure.
 *
 * The executor is asked of each action whether it may be replayed and whether it may run beside others, and its
 * `parameters()` are part of the tool's digest. Its own words, such as those for a command that it refuses, are shown
 * as they are. Whoever made the executor closes it.
 *
 * @example
 * ```ts
 * import { shellExecutor } from "@polyloop/polyloop/adapters/shell-executor";
 * import { executorTool, ToolRegistry } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const options = { cwd: ".", env: { PATH: "/bin:/usr/bin" }, timeoutMs: 10_000, maxOutputChars: 4_000 };
 * await using shell = shellExecutor(options);
 * const tools = ToolRegistry.of([executorTool(shell, {
 *   name: "sh",
 *   description: "Runs a shell command.",
 *   parameters: {
 *     type: "object",
 *     properties: { command: { type: "string" } },
 *     required: ["command"],
 *   },
 *   action: ({ command }) => ({ command }),
 * })]);
 * const outcome = await tools.executor().execute({
 *   action: { tool: "sh", arguments: { command: "echo hi; exit 3" } },
 *   actionId: "demo/s0_a0",
 *   attempt: 1,
 *   signal: new AbortController().signal,
 * });
 * assertEquals([outcome.status, outcome.failed], ["executed", true]);
 * ```
 *
 * @throws {InvalidRequestError} If a field is not as it must be.
 * @throws {UnsupportedSchemaError} If `parameters` is not a JSON Schema that `compileSchema` takes, or not one of
 * objects.
 */
export function executorTool<const Schema extends object>(
  executor: ActionExecutor,
  spec: ExecutorToolSpec<Schema>,
): Tool<FromSchema<Schema>> {
  refuseUnknownFields(spec, FIELDS, { whole: "spec" });
  const { name, description, parameters } = spec;
  if (typeof spec.action !== "function") {
    throw new InvalidRequestError("action", spec.action, "it must be a function");
  }
  if (typeof executor?.execute !== "function" || typeof executor.parameters !== "function") {
    const detail = "it must be an executor, with the methods execute and parameters";
    throw new InvalidRequestError("executor", executor, detail);
  }
  const tool = defineTool({
    name,
    description,
    parameters,
    execute: async (args: FromSchema<Schema>, { actionId, attempt, signal }: ToolContext) => {
      const action = copyJson(spec.action(args));
      const call: ActionCall = { action, toolName: name, actionId, attempt, signal };
      return new ToolOutcome(await outcomeOf(executor, Object.freeze(call)));
    },
    completes: executor.completes?.(name) ?? false,
  });
  return Object.freeze({ ...tool, delegate: delegateOf(executor, spec) });
}

const FIELDS: KnownFields<ExecutorToolSpec<object>> = {
  name: true,
  description: true,
  parameters: true,
  action: true,
};

/** What it throws, or gives of another shape, is a broken environment's, as where a run has the executor itself. */
async function outcomeOf(executor: ActionExecutor, call: ActionCall): Promise<ActionOutcome> {
  try {
    return admitted(await executor.execute(call));
  } catch (thrown) {
    if (call.signal.aborted) throw thrown;
    return {
      status: "environment_failed",
      observation: "",
      observationSynthetic: false,
      truncatedChars: 0,
      error: errorInfoWithStack(thrown),
    };
  }
}

function admitted(given: unknown): ActionOutcome {
  const outcome = copyShaped(given, actionOutcomeShape);
  if (outcome.ok) return outcome.value;
  const { path, reason } = outcome.fault;
  throw new PortContractError("executor.execute", `$${path}`, reason);
}

/** Arguments of which no action can be made lead to no effect: they are as good as refused. */
function delegateOf<Schema extends object>(
  executor: ActionExecutor,
  spec: ExecutorToolSpec<Schema>,
): ToolDelegate<FromSchema<Schema>> {
  const actionOf = (args: FromSchema<Schema>): JsonValue | undefined => {
    try {
      return copyJson(spec.action(args));
    } catch {
      return undefined;
    }
  };
  return Object.freeze({
    replayPolicy(args: FromSchema<Schema>) {
      const action = actionOf(args);
      return action === undefined ? "replayable" : executor.replayPolicy?.(action) ?? "never";
    },
    concurrent(args: FromSchema<Schema>) {
      const action = actionOf(args);
      return action === undefined || (executor.concurrent?.(action) ?? false);
    },
    parameters: () => executor.parameters(),
  });
}
