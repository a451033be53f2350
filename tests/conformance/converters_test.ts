import { assert, assertEquals } from "@std/assert";
import { compileSchema, defineTool, ToolRegistry } from "../../logic/tools/mod.ts";
import type { ToolParameters } from "../../logic/tools/mod.ts";
import type { JsonObject, JsonValue } from "../../types/mod.ts";

interface Converted {
  readonly schema: JsonObject;
  /** What the library's own schema has beside it, by the JSON pointer of where. */
  readonly hidden?: readonly {
    readonly pointer: string;
    readonly name?: string;
    readonly symbol?: string;
  }[];
  readonly accepts: readonly JsonValue[];
  readonly refuses: readonly JsonValue[];
  readonly refusesByFormat?: readonly JsonValue[];
}

interface Fixture {
  readonly packages: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, Converted>>;
}

const FOLDER = new URL("../testdata/", import.meta.url);

function read(path: string) {
  return JSON.parse(Deno.readTextFileSync(new URL(path, FOLDER)));
}

/** The schema as the library gave it: with what JSON does not carry. */
function live({ schema, hidden = [] }: Converted): JsonObject {
  const copy = structuredClone(schema);
  for (const { pointer, name, symbol } of hidden) {
    let place: unknown = copy;
    for (const token of pointer.split("/").slice(1)) {
      place = (place as Record<string, unknown>)[token.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    const [key, enumerable] = name === undefined ? [Symbol(symbol), true] : [name, false];
    Object.defineProperty(place, key, { value: () => "no JSON", enumerable });
  }
  return copy;
}

/** The parameters of a tool that takes one of the type, and the arguments that a value of it makes. */
function asParameters(schema: JsonObject): [ToolParameters, (value: JsonValue) => JsonValue] {
  if (schema.type === "object") return [schema, (value) => value];
  return [{ type: "object", properties: { value: schema }, required: ["value"] }, (value) => ({
    value,
  })];
}

const tool = (parameters: ToolParameters) =>
  defineTool({ name: "a", description: "A.", parameters, execute: () => "" });

const LIBRARIES = [...Deno.readDirSync(new URL("converters/", FOLDER))]
  .map(({ name }) => name).filter((name) => name.endsWith(".json")).sort();

for (const library of LIBRARIES) {
  const { packages, types }: Fixture = read(`converters/${library}`);
  const versions = Object.entries(packages).map((pair) => pair.join(" ")).join(" and ");
  Deno.test(`what ${versions} makes of ordinary types is taken (${library})`, () => {
    assert(Object.keys(types).length >= 20);
    for (const [type, converted] of Object.entries(types)) {
      const [parameters, argumentsOf] = asParameters(live(converted));
      const defined = tool(parameters);
      assertEquals(defined.parameters, JSON.parse(JSON.stringify(parameters)), type);
      const [shown] = ToolRegistry.of([defined]).schemaForModel();
      for (const form of [parameters, shown!.parameters]) {
        const schema = compileSchema(form);
        const fits = (value: JsonValue) => schema.validate(argumentsOf(value)).length === 0;
        const { accepts, refuses, refusesByFormat = [] } = converted;
        assertEquals(accepts.filter((value) => !fits(value)), [], type);
        assertEquals([...refuses].filter(fits), [], type);
        assertEquals(refusesByFormat.filter((value) => !fits(value)), [], type);
      }
      assert(!JSON.stringify(shown).includes("$schema"), type);
    }
  });
}

Deno.test("every tool of the MCP reference servers is taken, and so is what it says of its results", () => {
  const servers: Record<string, {
    tools: { name: string; inputSchema: ToolParameters; outputSchema?: JsonValue }[];
  }> = read("mcp_tools/tools.json");
  const tools = Object.values(servers).flatMap(({ tools }) => tools);
  assertEquals(tools.length, 42);
  for (const { name, inputSchema, outputSchema = true } of tools) {
    assertEquals(tool(inputSchema).parameters, inputSchema, name);
    compileSchema(outputSchema);
  }
});
