import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import {
  canonicalJson,
  compareCodePoints,
  copyJson,
  deepFreeze,
  type JsonValue,
  MAX_JSON_DEPTH,
  SerializationError,
  writtenJson,
} from "../../types/mod.ts";
import { jsonValues } from "./json_values.ts";

const CANONICAL: readonly (readonly [JsonValue, string])[] = [
  [null, "null"],
  [true, "true"],
  [1.5e300, "1.5e+300"],
  [-0.1, "-0.1"],
  ['a"\n\u2028🌊', '"a\\"\\n\u2028🌊"'],
  ["\ud83c", '"\\ud83c"'],
  [[], "[]"],
  [{}, "{}"],
  [{ b: 1, a: [{ d: 1, c: 2 }] }, '{"a":[{"c":2,"d":1}],"b":1}'],
  [{ 10: 1, 9: 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
  [{ "🌊": 1, "\uffff": 2, "\ud83c": 3 }, '{"\\ud83c":3,"\uffff":2,"🌊":1}'],
  [JSON.parse('{"b":1,"__proto__":{"x":2}}'), '{"__proto__":{"x":2},"b":1}'],
];

Deno.test("canonicalJson() sorts keys by code point and writes values as JSON.stringify does", () => {
  for (const [value, json] of CANONICAL) {
    assertEquals(canonicalJson(value), json);
    assertEquals(JSON.parse(canonicalJson(value)), value);
  }
});

Deno.test("canonicalJson() leaves undefined properties out", () => {
  assertEquals(canonicalJson({ a: undefined, b: 1 }), '{"b":1}');
});

Deno.test("canonicalJson() gives one text for every insertion order of the keys", () => {
  for (const value of jsonValues(200)) {
    const text = canonicalJson(value);
    assertEquals(canonicalJson(reversed(value)), text);
    assertEquals(canonicalJson(JSON.parse(text)), text);
    const keys = typeof value === "object" && value !== null ? Object.keys(JSON.parse(text)) : [];
    const plain = keys.filter((key) => !/^\d+$/.test(key));
    assertEquals(plain, plain.toSorted(compareCodePoints));
  }
});

function reversed(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(Object.entries(value).reverse().map(([k, v]) => [k, reversed(v)]));
}

Deno.test("copyJson() copies what JSON carries, deep-frozen, and leaves the original alone", () => {
  for (const value of jsonValues(200)) {
    const before = JSON.stringify(value);
    const copy = copyJson(value);
    assertEquals(JSON.stringify(copy), before);
    assertEquals(JSON.stringify(value), before);
    assertFrozen(copy);
    if (typeof value === "object" && value !== null) {
      assert(copy !== value && !Object.isFrozen(value));
    }
  }
});

function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  assert(Object.isFrozen(value));
  Object.values(value).forEach(assertFrozen);
}

Deno.test("copyJson() keeps __proto__ as data, takes objects without prototype, drops undefined", () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
  const copy = copyJson(hostile) as Record<string, unknown>;
  assertEquals(JSON.stringify(copy), '{"__proto__":{"polluted":true},"constructor":1}');
  assertEquals(Object.getPrototypeOf(copy), Object.prototype);
  assertEquals(copy.polluted, undefined);
  const bare = Object.assign(Object.create(null), { a: 1, b: undefined });
  assertEquals(JSON.stringify(copyJson(bare)), '{"a":1}');
});

class Point {
  x = 1;
}
class List extends Array<number> {}

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { in: value };
  return value;
}

const REFUSED: readonly (readonly [string, unknown, string, string])[] = [
  ["NaN", { a: [1, NaN] }, "$.a[1]", "NaN"],
  ["an infinity", { a: -Infinity }, "$.a", "-Infinity"],
  ["-0", [-0], "$[0]", "-0"],
  ["a bigint", { a: { b: 1n } }, "$.a.b", "bigint"],
  ["undefined itself", undefined, "$", "undefined"],
  ["undefined in a list", [1, undefined], "$[1]", "undefined"],
  ["a hole in a list", [1, , 2], "$[1]", "undefined"],
  ["a function", { f: () => 1 }, "$.f", "function"],
  ["toJSON", { a: { toJSON: () => 1 } }, "$.a.toJSON", "function"],
  ["a symbol", [Symbol("s")], "$[0]", "symbol"],
  ["a symbol key", { a: { [Symbol("s")]: 1 } }, "$.a", "symbol key"],
  ["a class instance", { at: new Point() }, "$.at", '"Point"'],
  ["a Date", { when: new Date(0) }, "$.when", '"Date"'],
  ["a Map", [new Map()], "$[0]", '"Map"'],
  ["an Error", new Error("x"), "$", '"Error"'],
  ["a boxed text", [new String("x")], "$[0]", '"String"'],
  ["bytes", new Uint8Array(1), "$", '"Uint8Array"'],
  ["a list of a class of its own", { list: new List() }, "$.list", '"List"'],
  ["a list with a name", { list: Object.assign([1], { name: "x" }) }, "$.list", "name"],
  ["a hidden property", Object.defineProperty({}, "a", { value: 1 }), "$", "hidden"],
];

for (const [what, value, path, reason] of REFUSED) {
  Deno.test(`copyJson() refuses ${what} with its path`, () => {
    const error = assertThrows(() => copyJson(value), SerializationError);
    assertEquals(error.path, path);
    assert(error.reason.includes(reason), error.reason);
  });
}

Deno.test("copyJson() takes the deepest nesting that it promises, and refuses more, and cycles", () => {
  assertEquals(JSON.stringify(copyJson(nested(MAX_JSON_DEPTH))).length > MAX_JSON_DEPTH, true);
  for (const value of [nested(MAX_JSON_DEPTH + 1), nested(100_000), cycle()]) {
    const error = assertThrows(() => copyJson(value), SerializationError);
    assert(error.reason.includes("nested too deep"), error.reason);
  }
});

Deno.test("copyJson() names the root as it was told", () => {
  const error = assertThrows(() => copyJson({ a: NaN }, "budget"), SerializationError);
  assertEquals(error.path, "budget.a");
  assertInstanceOf(error, Error);
});

Deno.test("deepFreeze() freezes a tree in place and gives it back", () => {
  const tree = { a: [{ b: 1 }], c: null, d: "x" };
  assertEquals(deepFreeze(tree) === tree, true);
  assertFrozen(tree);
  assertEquals(deepFreeze("text"), "text");
});

Deno.test("writtenJson() is what JSON.stringify writes, and copyJson() of what has no toJSON", () => {
  for (const value of jsonValues(200)) {
    assertEquals(writtenJson(value), copyJson(value));
    const holder = { at: [new Date(0), { toJSON: () => value }], none: undefined };
    const text = JSON.stringify(holder);
    assertEquals(JSON.stringify(writtenJson(holder)), text);
    assert(Object.isFrozen(writtenJson(holder)));
  }
});

Deno.test("writtenJson() names what JSON.stringify would lose, and what throws, by its place", () => {
  const cause = new RangeError("mine");
  const throwing = () => {
    throw cause;
  };
  const refused: readonly (readonly [unknown, string, unknown])[] = [
    [{ a: [() => 1] }, "$.a[0]", undefined],
    [[undefined], "$[0]", undefined],
    [{ a: { toJSON: () => NaN } }, "$.a", undefined],
    [{ a: { toJSON: throwing } }, "$.a", cause],
    [Object.defineProperty({}, "a", { get: throwing, enumerable: true }), "$.a", cause],
    [{ toJSON: () => undefined }, "$", undefined],
  ];
  for (const [value, path, thrown] of refused) {
    const error = assertThrows(() => writtenJson(value), SerializationError);
    assertEquals<unknown>([error.path, error.cause], [path, thrown]);
  }
  assertThrows(() => copyJson({ at: new Date(0) }), SerializationError, "$.at");
});

Deno.test("writtenJson() asks a bigint whose prototype has a toJSON, as JSON.stringify does", () => {
  const prototype: object = BigInt.prototype;
  Object.defineProperty(prototype, "toJSON", { value: () => "big", configurable: true });
  try {
    assertEquals(writtenJson({ n: 1n }), { n: "big" });
  } finally {
    Reflect.deleteProperty(prototype, "toJSON");
  }
  assertThrows(() => writtenJson({ n: 1n }), SerializationError, "$.n");
});
