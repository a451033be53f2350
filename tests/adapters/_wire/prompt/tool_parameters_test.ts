import { assertEquals } from "@std/assert";
import { toolParameters } from "../../../../adapters/_wire/prompt/tool_parameters.ts";
import { defineTool, ToolRegistry } from "../../../../logic/tools/mod.ts";
import type { JsonValue } from "../../../../types/mod.ts";
import { anthropicExchange, chatExchange } from "../../model_calls.ts";

Deno.test("toolParameters() gives a type and properties to what has none, and takes the stamp off", () => {
  const cases: [given: JsonValue, sent: JsonValue][] = [
    [{ type: "object" }, { type: "object", properties: {} }],
    [{}, { type: "object", properties: {} }],
    [{ additionalProperties: false }, {
      additionalProperties: false,
      type: "object",
      properties: {},
    }],
    [{ type: "object", required: [] }, { type: "object", required: [], properties: {} }],
    [{ type: "object", properties: { a: { type: "object" }, $schema: {} } }, {
      type: "object",
      properties: { a: { type: "object" }, $schema: {} },
    }],
    [{ $schema: "x", type: "object", properties: {} }, { type: "object", properties: {} }],
  ];
  for (const [given, sent] of cases) assertEquals(toolParameters(given), sent);
});

Deno.test("both dialects send a tool's parameters so, whatever dialect they were given in", async () => {
  const tools = ToolRegistry.of([defineTool({
    name: "mark",
    description: "Marks.",
    parameters: {
      $schema: "http://json-schema.org/draft-07/schema#",
      $defs: { pair: { items: [{ type: "string" }], additionalItems: false } },
      dependencies: { a: ["b"], c: { $ref: "#/dependencies/d" }, d: { required: ["a"] } },
      properties: {
        both: { dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } },
        dependencies: { dependencies: {} },
      },
    },
    execute: () => "",
  })]).schemaForModel();
  const parameters = {
    $defs: { pair: { prefixItems: [{ type: "string" }], items: false } },
    dependentRequired: { a: ["b"] },
    dependentSchemas: { c: { $ref: "#/dependentSchemas/d" }, d: { required: ["a"] } },
    properties: {
      both: { dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } },
      dependencies: {},
    },
    type: "object",
  };
  const chat = await chatExchange({ tools });
  assertEquals(chat.sent.tools, [
    { type: "function", function: { name: "mark", description: "Marks.", parameters } },
  ]);
  const anthropic = await anthropicExchange({ tools });
  assertEquals(anthropic.sent.tools, [
    { name: "mark", description: "Marks.", input_schema: parameters },
  ]);
});
