import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import {
  arrayShape,
  booleanShape,
  checkShape,
  copyField,
  copyShaped,
  countShape,
  eitherShape,
  InvalidRequestError,
  jsonShape,
  type JsonValue,
  literalShape,
  mapShape,
  memberShape,
  objectShape,
  optionalField,
  type Shape,
  stringShape,
  unionShape,
  wholeNumberShape,
} from "../../../types/mod.ts";

interface Note {
  readonly title: string;
  readonly tags?: readonly string[];
  readonly data?: JsonValue;
}

const noteShape: Shape<Note> = objectShape({
  title: stringShape,
  tags: optionalField(arrayShape(stringShape, 1)),
  data: optionalField(jsonShape),
});

type Pet = { readonly kind: "cat" } | { readonly kind: "dog"; readonly age: number };

const petShape: Shape<Pet> = unionShape("kind", {
  cat: objectShape({ kind: literalShape("cat") }),
  dog: objectShape({ kind: literalShape("dog"), age: countShape }),
});

function faultOf<T>(value: unknown, shape: Shape<T>, unknownFields = false): string {
  const checked = checkShape(value, shape, { unknownFields });
  return checked.ok ? "" : `${checked.fault.path}: ${checked.fault.reason}`;
}

Deno.test("objectShape() takes its fields, absent ones and undefined ones", () => {
  for (const note of [{ title: "" }, { title: "a", tags: ["b"], data: null }]) {
    assertEquals(faultOf(note, noteShape), "");
  }
  assertEquals(faultOf({ title: "", tags: undefined, more: undefined }, noteShape), "");
  assertEquals(faultOf(Object.assign(Object.create(null), { title: "" }), noteShape), "");
});

Deno.test("objectShape() names the first field that is missing, wrong or unknown", () => {
  assertEquals(faultOf({}, noteShape), ".title: it is missing");
  assertEquals(faultOf({ title: undefined }, noteShape), ".title: it is missing");
  assertEquals(faultOf({ title: null }, noteShape), ".title: it must be a string");
  assertEquals(faultOf({ title: "", tags: ["a", 5] }, noteShape), ".tags[1]: it must be a string");
  assertEquals(
    faultOf({ title: "", tag: 1, data: 2 }, noteShape),
    '.tag: there is no such field (did you mean "tags"?)',
  );
  assertEquals(faultOf({ title: "", more: 1 }, noteShape), ".more: there is no such field");
  const hidden = JSON.parse('{"title":"","__proto__":{"tags":["a"]}}');
  assertEquals(faultOf(hidden, noteShape), ".__proto__: there is no such field");
  for (const value of [undefined, null, "title", [], [{ title: "" }]]) {
    assertEquals(faultOf(value, noteShape), ": it must be an object");
  }
});

Deno.test("objectShape() lets unknown fields pass where it is told to, and looks at the others", () => {
  assertEquals(faultOf({ title: "", more: 1 }, noteShape, true), "");
  assertEquals(faultOf({ title: 5, more: 1 }, noteShape, true), ".title: it must be a string");
});

Deno.test("unionShape() has each member checked by its own shape", () => {
  assertEquals(faultOf({ kind: "cat" }, petShape), "");
  assertEquals(faultOf({ kind: "dog", age: 3 }, petShape), "");
  assertEquals(faultOf({ kind: "dog" }, petShape), ".age: it is missing");
  assertEquals(
    faultOf({ kind: "cat", age: 3 }, petShape),
    ".age: there is no such field",
  );
  assertEquals(faultOf({ kind: "dog", age: 3, more: {} }, petShape, true), "");
});

Deno.test("unionShape() tells an unknown member from a tag that is missing, or none", () => {
  const tags: readonly (readonly [unknown, string, boolean])[] = [
    ["bird", "it must be one of cat, dog", true],
    ["toString", "it must be one of cat, dog", true],
    [5, "it must be one of cat, dog", false],
    [undefined, "it is missing", false],
  ];
  for (const [kind, reason, unknownMember] of tags) {
    const checked = checkShape({ kind }, petShape);
    assert(!checked.ok);
    assertEquals(checked.fault, { path: ".kind", value: kind, reason, unknownMember });
  }
  assertEquals(faultOf("cat", petShape), ": it must be an object");
});

Deno.test("mapShape() takes any keys, and __proto__ as one of them", () => {
  const flags = mapShape(booleanShape);
  assertEquals(faultOf({ "": true, "a.b": false }, flags), "");
  assertEquals(
    faultOf(JSON.parse('{"__proto__":1}'), flags),
    ".__proto__: it must be true or false",
  );
  assertEquals(faultOf([], flags), ": it must be an object");
});

Deno.test("arrayShape() takes so many items at least", () => {
  assertEquals(faultOf([], arrayShape(jsonShape)), "");
  assertEquals(faultOf([], arrayShape(jsonShape, 1)), ": it must have at least 1 item");
  assertEquals(faultOf({ length: 1 }, arrayShape(jsonShape)), ": it must be an array");
});

Deno.test("eitherShape() gives the fault of the shape that the value was to have", () => {
  const textOrTags = eitherShape(
    (value) => typeof value === "string",
    memberShape(["none", "all"]),
    arrayShape(stringShape),
  );
  assertEquals([faultOf("all", textOrTags), faultOf(["a"], textOrTags)], ["", ""]);
  assertEquals(faultOf("some", textOrTags), ": it must be one of none, all");
  assertEquals(faultOf([1], textOrTags), "[0]: it must be a string");
});

Deno.test("wholeNumberShape() takes both ends of its range, and says it", () => {
  const percent = wholeNumberShape(1, 100);
  assertEquals([faultOf(1, percent), faultOf(100, percent)], ["", ""]);
  for (const value of [0, 101, 1.5, NaN, Infinity, "5", 5n, null]) {
    assertEquals(faultOf(value, percent), ": it must be a whole number from 1 to 100");
  }
});

Deno.test("checkShape() gives the value itself, not a copy", () => {
  const note = { title: "a" };
  const checked = checkShape(note, noteShape);
  assert(checked.ok);
  assertStrictEquals<unknown>(checked.value, note);
});

Deno.test("copyShaped() gives a frozen copy, and the path of what JSON cannot carry", () => {
  const tags = ["a"];
  const copied = copyShaped({ title: "", tags }, noteShape);
  assert(copied.ok && Object.isFrozen(copied.value) && Object.isFrozen(copied.value.tags));
  tags.push("b");
  assertEquals(copied.value.tags, ["a"]);
  const refused = copyShaped({ title: "", data: { at: [NaN] } }, noteShape);
  assert(!refused.ok);
  assertEquals([refused.fault.path, refused.fault.value], [".data.at[0]", NaN]);
  const hostile = Object.defineProperty({}, "title", {
    enumerable: true,
    get: () => {
      throw new RangeError("not today");
    },
  });
  assertThrows(() => copyShaped(hostile, noteShape), RangeError, "not today");
});

Deno.test("copyField() refuses a field by its path and value", () => {
  assertEquals(copyField("note", { title: "a" }, noteShape), { title: "a" });
  const error = assertThrows(
    () => copyField("note", { title: "a", tags: [] }, noteShape),
    InvalidRequestError,
    'Cannot use "note.tags" as it must have at least 1 item',
  );
  assertEquals([error.field, error.value], ["note.tags", []]);
});
