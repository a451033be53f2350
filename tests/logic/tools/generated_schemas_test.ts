import { assert, assertEquals } from "@std/assert";
import { compileSchema, readSchema } from "../../../logic/tools/compile_schema.ts";
import { type JsonValue, UnsupportedSchemaError } from "../../../types/mod.ts";
import { fuzzRounds } from "../../tasks/fuzz_rounds.ts";
import { drawing, jsonValue } from "../../types/json_values.ts";

type Draw = (below: number) => number;

const STAMPS: readonly JsonValue[] = [
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-06/schema",
  "http://json-schema.org/draft-04/schema#",
  "urn:other",
];
const REFERENCES: readonly JsonValue[] = [
  ...["#", "", "#/definitions/a", "#/$defs/a", "#/items", "#/items/0", "#/additionalItems"],
  ...["#/properties/a", "#/other/a", "#a", "u", "u#a", "u#/$defs/a", "https://example.com/x", 5],
];
const PATTERNS: readonly JsonValue[] = ["a", "\\@", "^[\\w-.]$", "{", "(?i)a", "^.$", "\\p{L}"];

function pick<T>(draw: Draw, from: readonly T[]): T {
  return from[draw(from.length)]!;
}

/** A schema, mostly as it must be, in any dialect's words. */
function schema(draw: Draw, depth: number): JsonValue {
  if (depth === 0 || draw(8) === 0) return pick(draw, [true, false, {}, { type: "string" }, 5]);
  const inner = () => schema(draw, depth - 1);
  const list = () => Array.from({ length: draw(3) }, inner);
  const named = () => Object.fromEntries(["a", "b"].slice(draw(2)).map((name) => [name, inner()]));
  const names = () => pick(draw, [["a"], ["b"], [], ["a", "b"]]);
  const makers: Record<string, () => JsonValue> = {
    type: () => pick<JsonValue>(draw, ["string", "array", "object", ["null", "number"], "any"]),
    const: () => jsonValue(draw, 1),
    enum: () => [jsonValue(draw, 1), "a"],
    pattern: () => pick(draw, PATTERNS),
    minItems: () => draw(3),
    exclusiveMinimum: () => pick<JsonValue>(draw, [0, true]),
    required: names,
    properties: named,
    patternProperties: () => ({ [String(pick(draw, PATTERNS))]: inner() }),
    additionalProperties: inner,
    propertyNames: inner,
    dependencies: () => ({ a: pick(draw, [names, inner])(), b: names() }),
    dependentRequired: () => ({ a: names() }),
    items: () => pick<() => JsonValue>(draw, [inner, list])(),
    additionalItems: inner,
    prefixItems: list,
    contains: inner,
    unevaluatedItems: inner,
    unevaluatedProperties: inner,
    allOf: list,
    anyOf: list,
    not: inner,
    if: inner,
    then: inner,
    $ref: () => pick(draw, REFERENCES),
    $recursiveRef: () => "#",
    $anchor: () => "a",
    $id: () => pick(draw, ["u", "#a", "https://example.com/x"]),
    id: () => "u",
    $schema: () => pick(draw, STAMPS),
    $defs: named,
    definitions: named,
    other: named,
    description: () => "d",
  };
  const rare = ["$schema", "$id", "id", "$anchor", "$recursiveRef", "unevaluatedItems"];
  const keywords = Object.keys(makers).filter((keyword) =>
    draw(rare.includes(keyword) ? 24 : 7) === 0
  );
  return Object.fromEntries(keywords.map((keyword) => [keyword, makers[keyword]!()]));
}

Deno.test("a generated schema is refused by a typed error, or means the same in the current form", () => {
  const rounds = fuzzRounds(200_000);
  let taken = 0;
  for (let seed = 0; seed < rounds; seed++) {
    const draw = drawing(seed * 7_919);
    const given = schema(draw, 3);
    const values = Array.from({ length: 8 }, () => jsonValue(draw, 3));
    try {
      const read = readSchema(given);
      const form = read.inCurrentForm();
      const again = readSchema(form);
      assertEquals(again.inCurrentForm(), form);
      for (const value of values) {
        assertEquals(
          again.validate(value).length === 0,
          read.validate(value).length === 0,
          `${JSON.stringify(given)} as ${JSON.stringify(form)} on ${JSON.stringify(value)}`,
        );
      }
      taken++;
    } catch (error) {
      if (!(error instanceof UnsupportedSchemaError)) throw error;
    }
  }
  assert(taken > rounds / 10, `only ${taken} of ${rounds} were taken`);
});

Deno.test("what compileSchema() takes, a model can be shown", () => {
  const hidden = { properties: { a: true }, $ref: "#/definitions/b" };
  const given = {
    $schema: STAMPS[2]!,
    ...hidden,
    definitions: { b: true, c: { $ref: "#/properties/a" } },
  };
  compileSchema(given);
  let refusal: unknown;
  try {
    readSchema(given).inCurrentForm();
  } catch (error) {
    refusal = error;
  }
  assert(refusal instanceof UnsupportedSchemaError);
  assertEquals(refusal.pointer, "/properties");
});
