import { assert, assertEquals } from "@std/assert";
import { compileSchema } from "../../../logic/tools/mod.ts";
import type { JsonValue } from "../../../types/mod.ts";
import { lines, validate } from "./schema_fit.ts";

const MEMBERS = { x: 1, y: "2" };

Deno.test("validate() says for each keyword what it expected and what it found", () => {
  const cases: [JsonValue, JsonValue, string[]][] = [
    [false, 1, [" false: no value, 1"]],
    [{ type: "string" }, 5, [" type: string, 5"]],
    [{ type: ["string", "null"] }, [1, 2], [" type: string or null, an array of 2 items"]],
    [{ type: "integer" }, MEMBERS, [" type: integer, an object of 2 properties"]],
    [{ const: { a: 1 } }, {}, [' const: {"a":1}, an object of 0 properties']],
    [{ enum: ["a", 1] }, "b", [' enum: one of ["a",1], "b"']],
    [{ minimum: 2 }, 1, [" minimum: a number of at least 2, 1"]],
    [{ exclusiveMinimum: 2 }, 2, [" exclusiveMinimum: a number above 2, 2"]],
    [{ maximum: 2 }, 3, [" maximum: a number of at most 2, 3"]],
    [{ exclusiveMaximum: 2 }, 2, [" exclusiveMaximum: a number below 2, 2"]],
    [{ multipleOf: 0.1 }, 0.25, [" multipleOf: a multiple of 0.1, 0.25"]],
    [{ pattern: "^a/b$" }, "c", [' pattern: a text that matches ^a/b$, "c"']],
    [{ required: ["x", "z", "w"] }, MEMBERS, [
      ' required: a property "z", none',
      ' required: a property "w", none',
    ]],
    [{ dependentRequired: { x: ["z", "y"], q: ["p"] } }, MEMBERS, [
      ' dependentRequired: a property "z" beside "x", none',
    ]],
    [{ minProperties: 3 }, MEMBERS, [
      " minProperties: at least 3 properties, an object of 2 properties",
    ]],
    [{ maxProperties: 1 }, MEMBERS, [
      " maxProperties: at most 1 property, an object of 2 properties",
    ]],
    [{ minItems: 1 }, [], [" minItems: at least 1 item, an array of 0 items"]],
    [{ maxItems: 1 }, [1, 2], [" maxItems: at most 1 item, an array of 2 items"]],
    [{ propertyNames: { maxLength: 2, pattern: "^[a-z]$" } }, { a: 1, BB: 2, ccc: 3 }, [
      '/BB propertyNames: a name: a text that matches ^[a-z]$, "BB"',
      "/ccc propertyNames: a name: at most 2 characters, 3 characters",
    ]],
    [{ propertyNames: { maxLength: 1 }, properties: { a: { type: "null" } } }, { a: 1 }, [
      "/a type: null, 1",
    ]],
    [{ propertyNames: false }, { a: 1 }, ['/a propertyNames: a name: no value, "a"']],
    [{ properties: { x: { type: "null" } }, additionalProperties: false }, MEMBERS, [
      "/x type: null, 1",
      '/y additionalProperties: no value, "2"',
    ]],
    [{ patternProperties: { "^x": { type: "null" }, "x$": { minimum: 2 }, "^y": true } }, MEMBERS, [
      "/x type: null, 1",
      "/x minimum: a number of at least 2, 1",
    ]],
    [{ dependentSchemas: { x: { required: ["z"] }, q: false } }, MEMBERS, [
      ' required: a property "z", none',
    ]],
    [{ prefixItems: [{ type: "null" }, true], items: { type: "string" } }, [1, 2, 3, "4", 5], [
      "/0 type: null, 1",
      "/2 type: string, 3",
      "/4 type: string, 5",
    ]],
    [{ contains: { type: "string" } }, [1], [
      ' contains: at least 1 item as "contains" asks, 0 such items',
    ]],
    [{ contains: true, minContains: 2, maxContains: 3 }, [1], [
      ' minContains: at least 2 items as "contains" asks, 1 such item',
    ]],
    [{ contains: true, minContains: 0, maxContains: 1 }, [1, 2], [
      ' maxContains: at most 1 item as "contains" asks, 2 such items',
    ]],
    [{ allOf: [{ minimum: 2 }, true, { type: "string" }] }, 1, [
      " minimum: a number of at least 2, 1",
      " type: string, 1",
    ]],
    [{ anyOf: [{ type: "string" }, { minimum: 2 }] }, 1, [
      " anyOf: a value that fits at least one of 2 schemas, 1",
      " type: string, 1",
      " minimum: a number of at least 2, 1",
    ]],
    [{ oneOf: [{ type: "string" }, { minimum: 2 }] }, 1, [
      " oneOf: a value that fits exactly one of 2 schemas, 1",
      " type: string, 1",
      " minimum: a number of at least 2, 1",
    ]],
    [{ oneOf: [false, true, { minimum: 1 }, true] }, 1, [
      " oneOf: a value that fits exactly one of 4 schemas, a value that fits those at 1 and 2",
    ]],
    [{ not: { type: "number" } }, 1, [" not: a value that does not fit the schema there, 1"]],
    [{ if: { minimum: 1 }, then: { type: "string" }, else: false }, 1, [" type: string, 1"]],
    [{ if: { minimum: 2 }, then: { type: "string" }, else: false }, 1, [" else: no value, 1"]],
    [{ unevaluatedProperties: { type: "string" }, properties: { q: true } }, MEMBERS, [
      "/x type: string, 1",
    ]],
    [{ prefixItems: [true], unevaluatedItems: false }, [1, 2, 3], [
      "/1 unevaluatedItems: no value, 2",
      "/2 unevaluatedItems: no value, 3",
    ]],
    [{ $ref: "#/$defs/a", maximum: 0, $defs: { a: { minimum: 2 } } }, 1, [
      " maximum: a number of at most 0, 1",
      " minimum: a number of at least 2, 1",
    ]],
  ];
  for (const [schema, value, expected] of cases) {
    assertEquals(lines(schema, value), expected, JSON.stringify(schema));
  }
});

Deno.test("validate() names the keyword's place in the schema", () => {
  const schema = {
    properties: { "a/b": { $ref: "#/$defs/t" } },
    $defs: { t: { allOf: [{ type: "string" }] } },
  };
  assertEquals(validate(schema, { "a/b": 1 }), [{
    pointer: "/a~1b",
    rule: "type",
    expected: "string",
    found: "1",
    schemaPointer: "/$defs/t/allOf/0/type",
  }]);
});

Deno.test("validate() shows long texts and lists shortly", () => {
  const [violation] = validate({ type: "null" }, "🌊".repeat(1000));
  assertEquals(violation!.found, `"${"🌊".repeat(80)}"…`);
  const [other] = validate({ enum: Array.from({ length: 1000 }, (_, i) => i) }, "x");
  assertEquals(other!.expected.length, "one of ".length + 400 + 1);
});

Deno.test("validate() counts as evaluated what fits, and nothing that does not", () => {
  const cases: [JsonValue, JsonValue, boolean][] = [
    [{ anyOf: [{ properties: { x: true } }, { properties: { y: true } }] }, MEMBERS, true],
    [
      { anyOf: [{ properties: { x: true } }, { properties: { y: { type: "null" } } }] },
      MEMBERS,
      false,
    ],
    [{ oneOf: [{ properties: { x: true, y: true } }, false] }, MEMBERS, true],
    [{ not: { not: { properties: { x: true, y: true } } } }, MEMBERS, false],
    [{ if: { properties: { x: true, y: true } } }, MEMBERS, true],
    [{ if: { properties: { x: { const: 2 }, y: true } } }, MEMBERS, false],
    [{ if: false, else: { properties: { x: true, y: true } } }, MEMBERS, true],
    [{ dependentSchemas: { x: { properties: { x: true, y: true } } } }, MEMBERS, true],
    [{ dependentSchemas: { q: { properties: { x: true, y: true } } } }, MEMBERS, false],
    [{ allOf: [{ patternProperties: { "[xy]": true } }] }, MEMBERS, true],
    [{ allOf: [{ additionalProperties: true }] }, MEMBERS, true],
    [{ allOf: [{ unevaluatedProperties: true }] }, MEMBERS, true],
    [{ allOf: [{ propertyNames: true }] }, MEMBERS, false],
    [{ $ref: "#/$defs/a", $defs: { a: { properties: { x: true, y: true } } } }, MEMBERS, true],
    [{ properties: { x: { properties: { y: true } } } }, { x: { y: 1 }, y: 1 }, false],
    [{ anyOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }] }, [1, 2], true],
    [{ anyOf: [{ prefixItems: [true] }, { prefixItems: [true, false] }] }, [1, 2], false],
    [{ allOf: [{ items: true }] }, [1, 2], true],
    [{ allOf: [{ unevaluatedItems: true }] }, [1, 2], true],
    [{ allOf: [{ contains: { minimum: 2 } }] }, [1, 2], false],
    [{ prefixItems: [true], contains: { minimum: 2 } }, [1, 2], true],
    [{ contains: { type: "string" }, minContains: 0 }, [1, "a"], false],
    [{ contains: { type: ["string", "number"] }, minContains: 0 }, [1, "a"], true],
  ];
  for (const [schema, value, expected] of cases) {
    const closed = { ...(schema as object), unevaluatedProperties: false, unevaluatedItems: false };
    assertEquals(validate(closed, value).length === 0, expected, JSON.stringify(schema));
  }
});

Deno.test("validate() does not call a member unevaluated because the schema that knows it is broken", () => {
  const kind = (name: string) => ({
    properties: { kind: { const: name }, [name]: { type: "string" } },
    required: ["kind"],
  });
  for (const branches of ["anyOf", "oneOf"]) {
    const schema = { [branches]: [kind("a"), kind("b")], unevaluatedProperties: false };
    assertEquals(lines(schema, { kind: "a", a: 1, c: 1 }), [
      ` ${branches}: a value that fits ${
        branches === "anyOf" ? "at least" : "exactly"
      } one of 2 schemas, an object of 3 properties`,
      "/a type: string, 1",
      '/kind const: "b", "a"',
      "/c unevaluatedProperties: no value, 1",
    ]);
  }
});

Deno.test("validate() is quick to say no and lists everything: both agree", () => {
  const schema = {
    required: ["a", "b"],
    properties: { a: { items: { type: "string" } } },
    propertyNames: { maxLength: 1 },
    dependentRequired: { c: ["d", "e"] },
  };
  const compiled = compileSchema({ not: schema });
  for (
    const value of [{ a: [1] }, { a: ["x"], b: 1, cc: 1 }, { a: [], b: 1, c: 1 }, {
      a: [1, 2],
      b: 1,
    }]
  ) {
    assertEquals(compiled.validate(value), []);
    assert(validate(schema, value).length > 0);
  }
  assertEquals(compiled.validate({ a: ["x"], b: 1 }).length, 1);
});
