import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { compileSchema } from "../../../logic/tools/mod.ts";
import { type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";
import { fits, lines, validate } from "./schema_fit.ts";

function refusal(schema: JsonValue): UnsupportedSchemaError {
  return assertThrows(() => compileSchema(schema), UnsupportedSchemaError);
}

Deno.test("compileSchema() refuses what it does not support and says where", () => {
  const unsupported: [JsonValue, string, string][] = [
    [{ $schema: "http://json-schema.org/draft-03/schema#" }, "/$schema", "draft-03"],
    [{ $schema: "http://json-schema.org/schema#" }, "/$schema", "dialect"],
    [{ $schema: "ftp://json-schema.org/draft-07/schema#" }, "/$schema", "dialect"],
    [{ $schema: "http://json-schema.org/draft-07/schema#x" }, "/$schema", "dialect"],
    [{ $schema: "json-schema.org/draft-07/schema" }, "/$schema", "dialect"],
    [{ $schema: ["http://json-schema.org/draft-07/schema"] }, "/$schema", "dialect"],
    [{ $schema: 5 }, "/$schema", "dialect"],
    [{ properties: { a: { $schema: "x" } } }, "/properties/a/$schema", "dialect"],
    [{ $id: 5 }, "/$id", "a URI"],
    [{ $id: "http://[" }, "/$id", "not a URI"],
    [{ $id: "#a" }, "/$id", "$anchor"],
    [{ $defs: { a: { $id: "x" }, b: { $id: "x" } } }, "/$defs/b", "too"],
    [{ $dynamicRef: "#a" }, "/$dynamicRef", "$ref"],
    [{ items: { $dynamicAnchor: "a" } }, "/items/$dynamicAnchor", "$ref"],
    [{ $recursiveRef: "#" }, "/$recursiveRef", "$ref"],
    [{ $recursiveAnchor: true }, "/$recursiveAnchor", "$ref"],
    [{ $ref: "https://example.com/a" }, "/$ref", "#/$defs/<name>"],
    [{ $id: "https://example.com/a", $ref: "https://example.com/b#" }, "/$ref", "$defs"],
    [{ $ref: "http://[" }, "/$ref", "not a URI"],
    [{ $ref: "a.json" }, "/$ref", "$defs"],
    [{ $ref: 5 }, "/$ref", "a string"],
    [{ $ref: "#/$defs/none" }, "/$ref", "leads nowhere"],
    [{ $ref: "#none" }, "/$ref", "leads nowhere"],
    [{ $ref: "#/allOf/00", allOf: [true] }, "/$ref", "leads nowhere"],
    [{ $ref: "#/allOf/1", allOf: [true] }, "/$ref", "leads nowhere"],
    [{ $ref: "#/toString" }, "/$ref", "leads nowhere"],
    [{ $ref: "#/title/0", title: "x" }, "/$ref", "leads nowhere"],
    [{ $ref: "#/%zz" }, "/$ref", "percent-encoding"],
    [{ $ref: "#/title", title: "x" }, "/title", "must be an object, true or false"],
    [{ $anchor: "a b" }, "/$anchor", '"a b"'],
    [{ $anchor: 5 }, "/$anchor", "an anchor is"],
    [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "/$defs/b", 'anchor "x" too'],
    [{ properties: { "a/b~": { type: "int" } } }, "/properties/a~1b~0/type", "one or more of"],
    [null, "", "must be an object"],
    ["x", "", "must be an object"],
    [[], "", "must be an object"],
    [{ not: null }, "/not", "must be an object"],
    [{ then: 5 }, "/then", "must be an object"],
    [{ else: { type: "?" } }, "/else/type", "one or more"],
    [{ $defs: { unused: { minimum: "1" } } }, "/$defs/unused/minimum", "a number"],
    [{ definitions: { unused: { minimum: "1" } } }, "/definitions/unused/minimum", "a number"],
    [{ contentSchema: { minimum: "1" } }, "/contentSchema/minimum", "a number"],
  ];
  for (const [schema, pointer, detail] of unsupported) {
    const error = refusal(schema);
    assertEquals(error.pointer, pointer, JSON.stringify(schema));
    assertStringIncludes(error.message, detail);
  }
});

Deno.test("compileSchema() refuses keywords whose value is not as it must be", () => {
  const wrong: Record<string, JsonValue[]> = {
    type: [5, null, "any", [], ["string", "string"], ["string", 5], ["string", "toString"]],
    enum: ["a", null, {}],
    multipleOf: [0, -1, "1", null],
    minimum: ["1", null],
    exclusiveMinimum: [true],
    maximum: [[]],
    exclusiveMaximum: [false],
    minLength: [-1, 1.5, "1"],
    maxLength: [-1, 1.5, null],
    pattern: [5, "(", "^(?i)a$", "[a", "a\\Z", "\\y", "{,3}", "a{3,2}", "\\c"],
    required: ["a", [1], ["a", "a"], {}],
    dependentRequired: [[], { a: "b" }, { a: ["b", "b"] }],
    minProperties: [-1, "1"],
    maxProperties: [0.5],
    properties: [[], null, true, { a: 5 }],
    patternProperties: [[], { "(": true }, { a: 5 }],
    additionalProperties: [null, 5, []],
    propertyNames: ["a"],
    minItems: ["1"],
    maxItems: [-1],
    uniqueItems: ["true", null],
    prefixItems: [{}, [5]],
    items: [[5], 5],
    contains: [5],
    minContains: [-1],
    maxContains: ["1"],
    unevaluatedItems: [5],
    unevaluatedProperties: [[]],
    allOf: [[], {}, [5]],
    anyOf: [[], true],
    oneOf: [[], 5],
    not: [[]],
    if: [5],
    dependentSchemas: [[], { a: 5 }],
    $defs: [[], true],
  };
  for (const [keyword, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertStringIncludes(refusal({ [keyword]: value }).pointer, `/${keyword}`);
    }
  }
});

Deno.test("compileSchema() refuses what JSON cannot carry", () => {
  assertStringIncludes(refusal({ minimum: NaN }).message, "NaN is not a JSON number");
  assertStringIncludes(refusal({ const: -0 }).message, "-0");
  const cycle: Record<string, JsonValue> = {};
  cycle.not = cycle;
  assertStringIncludes(refusal(cycle).message, "holds itself");
  class Schema {
    readonly type = "object";
  }
  for (const schema of [new Schema(), { parse: () => true }, () => true]) {
    const { message } = assertThrows(() => compileSchema(schema), UnsupportedSchemaError);
    assertStringIncludes(message, "give the JSON Schema that it makes");
  }
});

Deno.test("compileSchema() refuses a schema that is too long", () => {
  assertStringIncludes(refusal({ title: "x".repeat(1_000_000) }).message, "1000000 characters");
});

Deno.test("compileSchema() refuses schemas that never come to the value", () => {
  const loops: [JsonValue, string[]][] = [
    [{ $ref: "#" }, [""]],
    [{ $ref: "" }, [""]],
    [{ not: { $ref: "#" } }, ["", "/not"]],
    [{
      $ref: "#a",
      $defs: { a: { $anchor: "a", allOf: [true, { $ref: "#/$defs/b" }] }, b: { $ref: "#a" } },
    }, [
      "/$defs/a",
      "/$defs/b",
      "/$defs/a/allOf/1",
    ]],
    [{ properties: { a: { anyOf: [{ type: "null" }, { $ref: "#/properties/a" }] } } }, [
      "/properties/a",
      "/properties/a/anyOf/1",
    ]],
    [{ if: true, then: { dependentSchemas: { a: { $ref: "#" } } } }, [
      "",
      "/then",
      "/then/dependentSchemas/a",
    ]],
  ];
  for (const [schema, on] of loops) {
    const error = refusal(schema);
    assertStringIncludes(error.message, "leads back to itself");
    assert(on.includes(error.pointer), error.pointer);
  }
  const list = { properties: { next: { $ref: "#" } }, additionalProperties: false };
  assert(fits(list, { next: { next: {} } }));
  assertEquals(lines(list, { next: { next: { x: 1 } } }), [
    "/next/next/x additionalProperties: no value, 1",
  ]);
});

Deno.test("compileSchema() copies its schema", () => {
  const schema = { properties: { a: { const: [1] } } };
  const compiled = compileSchema(schema);
  schema.properties.a.const.push(2);
  assertEquals(compiled.validate({ a: [1] }), []);
});

Deno.test("compileSchema() follows references to every place of the schema", () => {
  const schema = {
    $id: "https://example.com/root",
    $schema: "https://json-schema.org/draft/2020-12/schema#",
    $defs: {
      "": { $defs: { "": { type: "string" } } },
      'a/b~c%d"é': { type: "integer" },
      list: [{ type: "null" }],
      "~1": { const: "tilde" },
      no: false,
    },
    other: { place: { type: "boolean" } },
    properties: {
      empty: { $ref: "#/$defs//$defs/" },
      escaped: { $ref: "#/$defs/a~1b~0c%25d%22%C3%A9" },
      unknown: { $ref: "#/other/place" },
      no: { $ref: "#/$defs/no" },
      tilde: { $ref: "#/$defs/~01" },
      $ref: { type: "number" },
      $id: { type: "number" },
    },
  };
  const defs = { ...schema, $defs: { ...schema.$defs, list: true } };
  assert(fits(defs, { empty: "x", escaped: 1, unknown: true, tilde: "tilde", $ref: 1, $id: 2 }));
  assertEquals(
    lines(defs, { empty: 1, escaped: "x", unknown: 0, no: 0, $ref: "x", $id: "x" }).length,
    6,
  );
  assertEquals(validate(defs, { no: 0 })[0]!.schemaPointer, "/$defs/no");
  assertEquals(refusal(schema).pointer, "/$defs/list");
});

Deno.test("compileSchema() treats names of Object.prototype as any other", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const schema = JSON.parse(`{
    "properties": { ${names.map((name) => `"${name}": {"type":"string"}`).join()} },
    "required": ${JSON.stringify(names)},
    "additionalProperties": false,
    "unevaluatedProperties": false
  }`);
  assertEquals(lines(schema, {}).map((line) => line.split(":")[0]), Array(4).fill(" required"));
  const value = (member: string) =>
    JSON.parse(`{${names.map((name) => `"${name}":${member}`).join()}}`);
  assert(fits(schema, value('"x"')));
  assertEquals(lines(schema, value("1")).length, 4);
  assert(!fits({ additionalProperties: false }, JSON.parse('{"__proto__":1}')));
  assert(!fits({ const: JSON.parse('{"__proto__":1}') }, {}));
  assert(fits({ dependentRequired: JSON.parse('{"toString":["x"]}') }, {}));
  assert(fits({ dependentSchemas: { constructor: false } }, {}));
  assert(fits(JSON.parse('{"__proto__":{"type":"null"}}'), 5));
});

Deno.test("compileSchema() passes on what a getter throws, of the schema and of the value", () => {
  const hostile = {
    get type(): string {
      throw new RangeError("mine");
    },
  };
  assertThrows(() => compileSchema(hostile), RangeError, "mine");
  const compiled = compileSchema({ properties: { type: true } });
  assertThrows(() => compiled.validate(hostile), RangeError, "mine");
});
