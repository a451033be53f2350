/**
 * PolyLoop: one bounded run of an agent, done once and right. A run is the loop *decide → act → observe* around one
 * goal, with budgets, an ordered stop decision, a recorded trajectory, cancellation, and crash recovery that never
 * guesses.
 *
 * This module has the values, the ports, the tools, the codec and the two verbs. Stores and adapters are imported
 * one by one, each from its own entry point, so that nothing is a default by accident.
 *
 * @example
 * ```ts
 * import { defineAgent, defineRun, run, textMessage, ToolRegistry, defineTool } from "@polyloop/polyloop";
 * import { jsonActionInterpreter } from "@polyloop/polyloop/adapters/json-action-interpreter";
 * import { scriptedModel } from "@polyloop/polyloop/adapters/scripted-model";
 * import { memoryStore } from "@polyloop/polyloop/stores/memory";
 * import { assertEquals } from "@std/assert";
 *
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   parameters: {
 *     type: "object",
 *     properties: { a: { type: "number" }, b: { type: "number" } },
 *     required: ["a", "b"],
 *   } as const,
 *   execute: ({ a, b }) => String(a + b),
 *   replay: "replayable",
 * });
 * const tools = ToolRegistry.of([add]);
 * const agent = defineAgent({
 *   model: scriptedModel([
 *     '{"tool": "add", "arguments": {"a": 2, "b": 40}}',
 *     '{"final_answer": 42}',
 *   ]),
 *   interpreter: jsonActionInterpreter(),
 *   store: memoryStore(),
 * });
 * const result = await run(
 *   agent,
 *   defineRun({
 *     runId: "sum-1",
 *     budget: { maxSteps: 5, maxModelCalls: 5, maxPromptChars: 20_000, maxConsecutiveFailures: 2 },
 *     executor: tools.executor(),
 *     tools,
 *     context: { runLevel: [], goalLevel: [textMessage("user", "What is 2 + 40?")] },
 *   }),
 * );
 * assertEquals([result.stopReason, result.answer], ["final_answer", 42]);
 * ```
 *
 * @module
 */
export * from "./types/mod.ts";
export * from "./ports/mod.ts";
export * from "./logic/tools/mod.ts";
export * from "./logic/serialization/mod.ts";
export * from "./session/mod.ts";
