/**
 * Tools: what one is ({@link defineTool}), an immutable set of them ({@link ToolRegistry}) with what a model may see
 * and the executor that it gives, and the validation behind it: JSON Schema and a JSON parser that changes nothing.
 *
 * @example
 * ```ts
 * import { defineTool, ToolRegistry } from "@polyloop/polyloop/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const tools = ToolRegistry.of([
 *   defineTool({
 *     name: "submit",
 *     description: "Hands in the answer.",
 *     parameters: {
 *       type: "object",
 *       properties: { answer: { type: "string" } },
 *       required: ["answer"],
 *     },
 *     execute: ({ answer }) => `Received ${answer.length} characters.`,
 *     completes: true,
 *   }),
 * ]);
 * assertEquals(tools.names, ["submit"]);
 * ```
 *
 * @module
 */
export * from "./compile_schema.ts";
export * from "./define_tool.ts";
export * from "./executor_tool.ts";
export type * from "./from_schema.ts";
export * from "./parse_faithful_json.ts";
export type * from "./schema_violation.ts";
export * from "./tool_outcome.ts";
export * from "./tool_registry.ts";
export type { ToolTexts } from "./tool_texts.ts";
