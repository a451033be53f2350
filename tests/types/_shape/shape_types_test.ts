/**
 * The compiler holds a shape against the type that it is declared with. Each mistake below must not compile: a
 * `@ts-expect-error` over a line without an error is one itself.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import {
  arrayShape,
  checkShape,
  countShape,
  literalShape,
  mapShape,
  memberShape,
  messageShape,
  objectShape,
  optionalField,
  REPLAY_POLICIES,
  type ReplayPolicy,
  type RunResult,
  type Shape,
  stringShape,
  unionShape,
} from "../../../types/mod.ts";

interface Author {
  readonly name: string;
  readonly email?: string;
}

type Light = { readonly is: "off" } | { readonly is: "on"; readonly percent: number };

const off = objectShape<Extract<Light, { is: "off" }>>({ is: literalShape("off") });
const on = objectShape<Extract<Light, { is: "on" }>>({
  is: literalShape("on"),
  percent: countShape,
});

/** Shapes that have parted from their types. */
const PARTED: readonly unknown[] = [
  // @ts-expect-error: a required field is left out
  objectShape<Author>({ email: optionalField(stringShape) }),
  // @ts-expect-error: an optional field is left out
  objectShape<Author>({ name: stringShape }),
  // @ts-expect-error: an optional field is required
  objectShape<Author>({ name: stringShape, email: stringShape }),
  // @ts-expect-error: a required field is optional
  objectShape<Author>({ name: optionalField(stringShape), email: optionalField(stringShape) }),
  // @ts-expect-error: a field has another type
  objectShape<Author>({ name: countShape, email: optionalField(stringShape) }),
  // @ts-expect-error: an optional field has another type
  objectShape<Author>({ name: stringShape, email: optionalField(countShape) }),
  // @ts-expect-error: there is no such field
  objectShape<Author>({ name: stringShape, email: optionalField(stringShape), age: countShape }),
  // @ts-expect-error: a member of the union is left out
  unionShape<Light, "is">("is", { on }),
  // @ts-expect-error: a member of the union stands under another tag
  unionShape<Light, "is">("is", { on, off: on }),
  // @ts-expect-error: there is no such member
  unionShape<Light, "is">("is", { on, off, dimmed: on }),
];

/** Shapes that take less, or more, than the type that they are declared with. */
// @ts-expect-error: it refuses a member that the type has
const tooFew: Shape<ReplayPolicy> = memberShape(["never"]);
// @ts-expect-error: it takes a text that the type has not
const tooMany: Shape<ReplayPolicy> = stringShape;
// @ts-expect-error: it refuses texts that the type has
const tooNarrow: Shape<string> = memberShape(REPLAY_POLICIES);
// @ts-expect-error: it takes items of another type
const otherItems: Shape<readonly string[]> = arrayShape(countShape);
// @ts-expect-error: it takes values of another type
const otherValues: Shape<Readonly<Record<string, string>>> = mapShape(countShape);
// @ts-expect-error: it is the shape of something else
const otherRecord: Shape<RunResult> = messageShape;

Deno.test("Shape is proved by the compiler to be its type's", () => {
  const shapes = [...PARTED, tooFew, tooMany, tooNarrow, otherItems, otherValues, otherRecord];
  assertEquals(shapes.map((shape) => typeof shape), shapes.map(() => "function"));
});

Deno.test("checkShape() gives a value its type without a cast", () => {
  const lightShape: Shape<Light> = unionShape("is", { on, off });
  const checked = checkShape(JSON.parse('{"is":"on","percent":5}'), lightShape);
  const percent: number = checked.ok && checked.value.is === "on" ? checked.value.percent : 0;
  assertEquals(percent, 5);
});
