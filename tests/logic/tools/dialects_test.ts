import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { compileSchema, readSchema } from "../../../logic/tools/compile_schema.ts";
import { type JsonObject, type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";
import { fits, lines, validate } from "./schema_fit.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema";
const CURRENT = "https://json-schema.org/draft/2020-12/schema";

function refusal(schema: JsonValue): UnsupportedSchemaError {
  return assertThrows(() => compileSchema(schema), UnsupportedSchemaError);
}

Deno.test("a dialect is known by http and https, with the empty fragment and without", () => {
  for (const draft of ["draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"]) {
    for (const scheme of ["http", "https"]) {
      for (const end of ["", "#"]) {
        const $schema = `${scheme}://json-schema.org/${draft}/schema${end}`;
        assert(!fits({ $schema, type: "string" }, 1), $schema);
      }
    }
  }
});

Deno.test("a schema in older words checks what it says", () => {
  const $schema = DRAFT_07;
  const pair = { $schema, items: [{ type: "string" }, { type: "number" }] };
  assert(fits(pair, ["a", 1, "x"]));
  assert(fits({ ...pair, additionalItems: false }, ["a", 1]));
  assertEquals(lines({ ...pair, additionalItems: false }, ["a", 1, 2]), [
    "/2 additionalItems: no value, 2",
  ]);
  assertEquals(validate(pair, [1])[0]!.schemaPointer, "/items/0/type");
  assert(fits({ $schema, additionalItems: false, items: { type: "number" } }, [1, 2]));
  const needs = {
    $schema,
    dependencies: { a: ["b"], c: { required: ["d"] }, e: false, "f/g": [] },
  };
  assert(fits(needs, { b: 1, d: 1, "f/g": 1 }));
  assertEquals(lines(needs, { a: 1, c: 1, e: 1 }), [
    ' dependencies: a property "b" beside "a", none',
    ' required: a property "d", none',
    " dependencies: no value, an object of 3 properties",
  ]);
  assertEquals(refusal({ $schema, dependencies: { a: "b" } }).pointer, "/dependencies/a");
  const referring = { $schema, definitions: { a: { type: "string" } }, $ref: "#/definitions/a" };
  assert(!fits(referring, 1));
  assert(fits({ ...referring, maxLength: 1, description: "d" }, "abc"));
});

Deno.test("a schema that names no dialect may have what means nothing else today", () => {
  const pair = { items: [{ type: "string" }], additionalItems: false };
  assert(fits(pair, ["a"]));
  assert(!fits(pair, ["a", "b"]));
  assert(fits({ items: [] }, [1]));
  assert(!fits({ prefixItems: [], items: false }, [1]));
  assert(!fits({ dependencies: { a: ["b"] } }, { a: 1 }));
  assert(!fits({ $ref: "#/$defs/a", maxLength: 1, $defs: { a: true } }, "abc"));
  assertStringIncludes(refusal({ $schema: CURRENT, items: [true] }).message, '"prefixItems"');
  assertEquals(refusal({ items: [true], prefixItems: [true] }).pointer, "/items");
});

Deno.test("a part of a schema may name a dialect of its own", () => {
  const schema = {
    type: "object",
    properties: {
      old: { $schema: DRAFT_07, $ref: "#/$defs/text", maxLength: 1 },
      new: { $schema: CURRENT, $ref: "#/$defs/text", maxLength: 1 },
    },
    $defs: { text: { type: "string" } },
  };
  assert(fits(schema, { old: "abc", new: "a" }));
  assert(!fits(schema, { new: "abc" }));
});

Deno.test("a keyword of a later draft counts as there, unless it makes an older one mean something else", () => {
  const $schema = DRAFT_07;
  assert(!fits({ $schema, prefixItems: [{ type: "string" }] }, [1]));
  assert(!fits({ $schema, dependentRequired: { a: ["b"] } }, { a: 1 }));
  assertEquals(refusal({ $schema, prefixItems: [true], items: true }).pointer, "/prefixItems");
  assertEquals(refusal({ $schema, prefixItems: [true], items: [true] }).pointer, "/prefixItems");
});

Deno.test("what means something else than today is refused by its place and the draft's name", () => {
  const old = (schema: JsonObject) =>
    refusal({ $schema: "http://json-schema.org/draft-04/schema", properties: { a: schema } });
  const words: [JsonObject, string][] = [
    [{ minimum: 1, exclusiveMinimum: true }, "exclusiveMinimum"],
    [{ maximum: 1, exclusiveMaximum: false }, "exclusiveMaximum"],
    [{ const: 1 }, "const"],
    [{ contains: {} }, "contains"],
    [{ propertyNames: {} }, "propertyNames"],
    [{ if: {}, then: {} }, "if"],
  ];
  for (const [schema, keyword] of words) {
    assertEquals(old(schema).pointer, `/properties/a/${keyword}`);
    assertStringIncludes(old(schema).message, "draft-04");
  }
  const { pointer, message } = refusal({
    $schema: DRAFT_2019,
    unevaluatedItems: false,
    anyOf: [{ contains: {} }],
  });
  assertEquals(pointer, "/unevaluatedItems");
  assertStringIncludes(message, "2019-09");
  const recursive = { $schema: DRAFT_2019, properties: { a: { $recursiveRef: "#" } } };
  assert(fits({ ...recursive, type: "object" }, { a: { a: {} } }));
  assert(!fits({ ...recursive, type: "object" }, { a: { a: 1 } }));
  assertEquals(refusal({ ...recursive, $recursiveAnchor: true }).pointer, "/$recursiveAnchor");
});

Deno.test("references are followed by $id and $anchor, relative to where they are", () => {
  const tree = {
    $id: "Node",
    type: "object",
    properties: { in: { type: "array", items: { $ref: "Node" } } },
  };
  assert(fits(tree, { in: [{ in: [] }] }));
  assert(!fits(tree, { in: [{ in: [1] }] }));
  assert(!fits({ properties: { tree } }, { tree: { in: [1] } }));
  const schema = {
    $id: "https://example.com/a/root.json",
    $defs: {
      text: { $id: "text.json", type: "string", $defs: { short: { $anchor: "s", maxLength: 1 } } },
      other: { $id: "/b/", $defs: { short: { $id: "urn:x:short", $anchor: "s", const: 1 } } },
    },
    properties: {
      a: { $ref: "text.json" },
      b: { $ref: "https://example.com/a/text.json#s" },
      c: { $ref: "urn:x:short#s" },
      d: { $ref: "text.json#/$defs/short" },
    },
  };
  assert(fits(schema, { a: "x", b: "x", c: 1, d: "x" }));
  for (const wrong of [{ a: 1 }, { b: "xy" }, { c: 2 }, { d: "xy" }]) {
    assertEquals(validate(schema, wrong).length, 1, JSON.stringify(wrong));
  }
});

Deno.test("a model is shown a schema as the current dialect writes it", () => {
  const form = (schema: JsonValue) => readSchema(schema).inCurrentForm();
  const asItIs = {
    properties: { a: { $ref: "#/$defs/a%20b" }, b: { $ref: "#/$defs/a b" } },
    $defs: { "a b": true },
  };
  assertEquals(form(asItIs), asItIs);
  assertEquals(
    form({
      $schema: DRAFT_07,
      $id: "https://example.com/a",
      items: [{ $id: "#first", type: "string" }, { $ref: "#first" }],
      additionalItems: { $ref: "a#/items/0" },
      properties: { $id: { $ref: "#/items/1", description: "d", maxLength: 1 } },
      default: { $schema: "data" },
    }),
    {
      prefixItems: [{ type: "string" }, { $ref: "#/prefixItems/0" }],
      items: { $ref: "#/prefixItems/0" },
      properties: { $id: { $ref: "#/prefixItems/1", description: "d" } },
      default: { $schema: "data" },
    },
  );
});

Deno.test("symbols and hidden properties of a schema count for nothing, and functions are refused", () => {
  const schema = { type: "object", properties: { a: { enum: ["x"] } } };
  Object.defineProperty(schema, "~standard", { value: { validate: () => true } });
  Object.assign(schema.properties.a, { [Symbol("Kind")]: "Enum" });
  Object.assign(schema.properties.a.enum, { [Symbol("Kind")]: "Enum" });
  const { given, validate } = readSchema(schema);
  assertEquals(given, JSON.parse(JSON.stringify(schema)));
  assertEquals(validate({ a: "y" }).length, 1);
  const parse = { ...schema, parse: () => true } as unknown as JsonValue;
  assertStringIncludes(refusal(parse).message, "$.parse");
});
