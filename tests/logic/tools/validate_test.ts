import { assert, assertEquals } from "@std/assert";
import type { JsonValue } from "../../../types/mod.ts";
import { fits, lines } from "./schema_fit.ts";

Deno.test("validate() compares by value", () => {
  const object = { a: [1, { b: null }], c: "x" };
  assert(fits({ const: object }, { c: "x", a: [1, { b: null }] }));
  for (
    const other of [
      { a: [1, { b: null }] },
      { a: [1, { b: 0 }], c: "x" },
      { a: [1], c: "x" },
      { a: {}, c: "x" },
      { a: [1, { b: null }], d: "x" },
      [object],
      null,
    ]
  ) {
    assert(!fits({ const: object }, other), JSON.stringify(other));
    assert(!fits({ enum: [1, object, "x"] }, other), JSON.stringify(other));
  }
  assert(fits({ enum: [1, [object]] }, [object]));
  assert(fits({ enum: [0, false, ""] }, false));
  assert(!fits({ enum: [0] }, false));
  assert(!fits({ const: [] }, {}));
  assert(!fits({ enum: [] }, null));
});

Deno.test("validate() finds equal items by value", () => {
  const unique = { uniqueItems: true };
  const different: JsonValue[] = [
    1,
    true,
    "1",
    "true",
    null,
    "null",
    [1],
    [[1]],
    { a: 1 },
    "[1]",
    {},
  ];
  assert(fits(unique, different));
  assert(fits({ uniqueItems: false }, [1, 1]));
  assertEquals(lines(unique, [0, { a: 1, b: [2] }, { b: [2], a: 1 }]), [
    " uniqueItems: items that all differ, equal items at 1 and 2",
  ]);
  assert(fits(unique, [["a,b"], ["a", "b"]]));
  assert(fits(unique, [{ 'a":1,"b': 1 }, { a: 1, b: 1 }]));
  assert(fits(unique, "aa"));
  assert(fits(unique, [{ a: 1, b: 2 }, { a: 2, b: 1 }, { b: 1 }, { a: {} }, { a: [] }, [0], [-1]]));
});

Deno.test("validate() tells a great many items apart, and still finds the two that are equal", () => {
  const counts = Array.from({ length: 20_000 }, (_, i) => i);
  const forms: readonly ((i: number) => JsonValue)[] = [
    (i) => i,
    (i) => `k${i}`,
    (i) => [i],
    (i) => ({ a: { b: i } }),
  ];
  for (const form of forms) {
    const items = counts.map(form);
    assertEquals(lines({ uniqueItems: true }, items), []);
    assertEquals(lines({ uniqueItems: true }, [...items, form(7)]), [
      " uniqueItems: items that all differ, equal items at 7 and 20000",
    ]);
  }
});

Deno.test("validate() matches no pattern where the text is too long, in a report neither", () => {
  const slow = { pattern: "^(a+)+$", maxLength: 1_000 };
  for (const schema of [slow, { maxLength: 1_000, pattern: "^(a+)+$" }]) {
    assertEquals(lines(schema, `${"a".repeat(1_000)}!`), [
      " maxLength: at most 1000 characters, 1001 characters",
    ]);
    assertEquals(lines({ propertyNames: schema }, { [`${"a".repeat(1_000)}!`]: 1 }).length, 1);
  }
  assertEquals(lines({ pattern: "^a*$", maxLength: 2 }, "🌊a"), [
    ` pattern: a text that matches ^a*$, "🌊a"`,
  ]);
});

Deno.test("validate() divides decimal numbers exactly", () => {
  const multiples: [number, number, boolean][] = [
    [0.3, 0.1, true],
    [0.35, 0.1, false],
    [19.99, 0.01, true],
    [4.35, 0.01, true],
    [1e308, 0.5, true],
    [1e308, 1e-308, true],
    [5e-324, 5e-324, true],
    [1.5, 1e308, false],
    [9007199254740992, 2, true],
    [1e23, 3, false],
    [-7.5, 2.5, true],
    [0, 0.3, true],
    [7, 2, false],
    [1e300, 7, false],
  ];
  for (const [value, multipleOf, expected] of multiples) {
    assertEquals(fits({ multipleOf }, value), expected, `${value} / ${multipleOf}`);
  }
  assert(fits({ multipleOf: 2 }, "x"));
});

Deno.test("validate() measures texts in code points", () => {
  assert(fits({ minLength: 2, maxLength: 2 }, "🌊🌊"));
  assertEquals(lines({ minLength: 3 }, "🌊🌊"), [
    " minLength: at least 3 characters, 2 characters",
  ]);
  assertEquals(lines({ maxLength: 1 }, "🌊🌊"), [" maxLength: at most 1 character, 2 characters"]);
  assert(fits({ minLength: 1, maxLength: 0, pattern: "x" }, 5));
  assert(fits({ pattern: "^\\p{Script=Greek}$" }, "λ"));
});
