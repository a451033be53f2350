import { openingOf } from "./_start/opening.ts";
import type { AgentDefinition } from "./define_agent.ts";
import type { RunRequest } from "./define_run.ts";
import type { RunOptions } from "./run_options.ts";

/**
 * The parameter snapshot that a run of this request would record: a flat map of strings, in which whatever would make
 * another run of it has a key. Each port is asked for its `parameters()`, and nothing else is called.
 *
 * @example
 * ```ts
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { defineAgent, defineRun, parameterSnapshot } from "@polyloop/polyloop/session";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { assertEquals } from "@std/assert";
 *
 * const snapshot = parameterSnapshot(
 *   defineAgent({
 *     model: scriptedModel([], { name: "m-1" }),
 *     interpreter: jsonActionInterpreter(),
 *     store: memoryStore(),
 *   }),
 *   defineRun({
 *     runId: "planned",
 *     budget: { maxSteps: 3, maxModelCalls: 3, maxPromptChars: 10_000, maxConsecutiveFailures: 1 },
 *     executor: { execute: () => Promise.reject(new Error("no actions")), parameters: () => ({}) },
 *     context: { runLevel: [], goalLevel: [] },
 *   }),
 * );
 * assertEquals(snapshot["definition.model.name"], "m-1");
 * assertEquals(snapshot["request.budget.max_steps"], "3");
 * ```
 *
 * @param options Those that `run` would get: `approveAction.id` is in the snapshot. Default: none.
 * @throws {InvalidRequestError} If agent, request or options are not as they must be.
 * @throws {PortContractError} If a port's parameters cannot be recorded.
 */
export function parameterSnapshot(
  agent: AgentDefinition,
  request: RunRequest,
  options: RunOptions = {},
): Readonly<Record<string, string>> {
  return openingOf(agent, request, options).parameters;
}
