import {
  assert,
  assertEquals,
  assertLessOrEqual,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { readSchema } from "../../../logic/tools/compile_schema.ts";
import { compileSchema, type SchemaViolation } from "../../../logic/tools/mod.ts";
import { type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";

function validate(schema: JsonValue, value: JsonValue): readonly SchemaViolation[] {
  return compileSchema(schema).validate(value);
}

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue, innermost: JsonValue) {
  let value = innermost;
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
}

function endsAtLimit(schema: JsonValue, value: JsonValue, expected: string): void {
  const violations = validate(schema, value);
  assertLessOrEqual(violations.length, 101);
  const { rule, expected: limit } = violations.at(-1)!;
  assertEquals([rule, limit], ["limit", expected]);
}

const TREE = { properties: { a: { $ref: "#" } }, items: { $ref: "#" } };
const DEPTH = "at most 1000 schemas inside one another";
const WORK = "a value that takes less work to check";

Deno.test("validate() goes as deep as values and schemas of good will are", () => {
  assertEquals(validate(TREE, nested(490, (a) => ({ a }), 1)), []);
  assertEquals(validate(nested(490, (not) => ({ not: { not } }), true), 1), []);
});

Deno.test("validate() stops at a depth where the stack would not be enough", () => {
  endsAtLimit(TREE, nested(100_000, (a) => ({ a }), 1), DEPTH);
  endsAtLimit(TREE, nested(100_000, (a) => [a], 1), DEPTH);
  endsAtLimit({ uniqueItems: true }, [1, nested(100_000, (a) => [a], 1)], DEPTH);
  endsAtLimit({ uniqueItems: true }, [1, nested(100_000, (a) => ({ a }), 1)], DEPTH);
  const chain: Record<string, JsonValue> = {};
  for (let i = 0; i < 20_000; i++) chain[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
  chain.d20000 = { type: "null" };
  endsAtLimit({ $ref: "#/$defs/d0", $defs: chain }, 1, DEPTH);
});

Deno.test("validate() compares no deeper than the schema is", () => {
  const deep = nested(900, (a) => [a], 1);
  assertEquals(validate({ const: deep }, deep), []);
  const deeper = nested(100_000, (a) => [a], 1);
  assertEquals(validate({ enum: [deep] }, deeper).map(({ rule }) => rule), ["enum"]);
});

Deno.test("validate() gives up on schemas that try everything again at each level", () => {
  const branch = { properties: { a: { $ref: "#" } }, required: ["a"] };
  const value = nested(60, (a) => ({ a }), {});
  endsAtLimit({ anyOf: [branch, branch, branch] }, value, WORK);
  endsAtLimit({ oneOf: [branch, branch, branch] }, value, WORK);
  const loose = { properties: branch.properties };
  endsAtLimit({ allOf: [loose, loose] }, value, WORK);
  endsAtLimit({ not: { anyOf: [branch, branch] } }, value, WORK);
  endsAtLimit({ if: branch, else: branch }, value, WORK);
  const inside = { contains: { allOf: [{ $ref: "#" }, { $ref: "#" }] } };
  endsAtLimit(inside, nested(60, (a) => [a], 1), WORK);
});

Deno.test("validate() gives up on large values under large schemas", () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `n${i}`);
  const many = Array.from({ length: 20_000 }, () => ({}));
  const members = Object.fromEntries(names.map((name) => [name, 1]));
  const patterns = Object.fromEntries(names.map((name) => [name, true]));
  const schemas = Object.fromEntries(names.map((name) => [name, true]));
  endsAtLimit({ items: { not: { required: names } } }, many, WORK);
  endsAtLimit({ items: { dependentRequired: { a: names } } }, many, WORK);
  endsAtLimit({ items: { dependentSchemas: schemas } }, many, WORK);
  endsAtLimit({ patternProperties: patterns }, members, WORK);
  endsAtLimit({ items: { enum: names.map((name) => [name]) } }, many.map(() => [0]), WORK);
  endsAtLimit({ allOf: many.map(() => ({ unevaluatedProperties: true })) }, members, WORK);
  const text = "x".repeat(1_000_000);
  for (const keyword of [{ minLength: 1 }, { maxLength: 2_000_000 }, { pattern: "^x" }]) {
    assertEquals(validate({ allOf: Array(50).fill(keyword) }, text), []);
  }
  endsAtLimit({ allOf: Array(1000).fill({ minLength: 1 }) }, text, WORK);
  endsAtLimit({ allOf: Array(1000).fill({ pattern: "^x" }) }, text, WORK);
  endsAtLimit({ allOf: Array(1000).fill({ uniqueItems: true }) }, [text, 1], WORK);
});

Deno.test("validate() takes the values of a long tool call", () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `row ${i}`, tags: ["a"] }));
  const schema = {
    items: {
      properties: {
        id: { type: "integer" },
        name: { type: "string", minLength: 1 },
        tags: { items: { enum: ["a", "b"] }, uniqueItems: true },
      },
      required: ["id", "name"],
      additionalProperties: false,
    },
    uniqueItems: true,
  };
  assertEquals(validate(schema, rows), []);
});

Deno.test("validate() has as much work for the list of violations as for the first look", () => {
  const value = [...Array(1_500_000).fill(1), "x"];
  assertEquals(validate({ items: { type: "integer" } }, value).map(({ rule }) => rule), ["type"]);
});

Deno.test("validate() lists 100 violations and says that there are more", () => {
  const wrong = (count: number) => validate({ items: { type: "null" } }, Array(count).fill(1));
  assertEquals(wrong(100).length, 100);
  assert(wrong(100).every(({ rule }) => rule === "type"));
  const list = wrong(101);
  assertEquals(list.length, 101);
  assertEquals(list[100], {
    pointer: "/100",
    rule: "limit",
    expected: "at most 100 violations",
    found: "more",
  });
  const names = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`name${i}`, 1]));
  assertEquals(validate({ propertyNames: { maxLength: 1 } }, names).length, 101);
  assertEquals(validate({ propertyNames: { allOf: Array(200).fill(false) } }, names).length, 101);
});

Deno.test("compileSchema() takes schemas of any form within its limits", () => {
  const wide = {
    allOf: Array.from({ length: 20_000 }, (_, i) => ({ $anchor: `a${i}`, minimum: i })),
  };
  assertEquals(validate({ ...wide, $ref: "#a7" }, 1e9), []);
  assertEquals(validate(nested(990, (items) => ({ items }), { type: "null" }), []), []);
});

/** So many members, each made of its number. */
function members(count: number, make: (i: number) => JsonValue): Record<string, JsonValue> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, make(i)]));
}

Deno.test("compileSchema() takes time that grows with a schema, whatever names and references it has", () => {
  const long = "k".repeat(400_000);
  const schemas: Record<string, JsonValue>[] = [
    { properties: { [long]: { properties: members(10_000, () => ({})) } } },
    { $defs: { [long]: { $id: "x" } }, properties: members(5_000, () => ({ $ref: "#" })) },
    { dependencies: members(10_000, (i) => i % 2 === 0 ? ["b"] : {}) },
    { items: Array(10_000).fill({}), additionalItems: { $ref: "#/items/9999" } },
    { pattern: "\\@".repeat(300_000) },
    { pattern: "{".repeat(400_000) },
  ];
  for (const schema of schemas) readSchema(schema).inCurrentForm();
  const refused = [
    ..."[\\w-|\\p{|\\@\\k<|\\@{1".split("|").map((piece) => ({ pattern: piece.repeat(150_000) })),
    nested(400, (p) => ({ $id: `${"x".repeat(1_000)}/`, properties: { p } }), {
      properties: members(5_000, () => ({ $ref: "a" })),
    }),
    { properties: members(400, () => ({ $ref: "x".repeat(2_000) })) },
  ];
  for (const schema of refused) {
    const { message } = assertThrows(() => compileSchema(schema), UnsupportedSchemaError);
    assertLessOrEqual(message.length, 1_000);
  }
});

Deno.test("a schema whose references are too long as pointers is refused by the limit", () => {
  const schema = {
    $defs: { ["k".repeat(400_000)]: { $anchor: "a" } },
    properties: members(10_000, () => ({ $ref: "#a" })),
  };
  const { message } = assertThrows(
    () => readSchema(schema).inCurrentForm(),
    UnsupportedSchemaError,
  );
  assertStringIncludes(message, "1000000 characters");
});
