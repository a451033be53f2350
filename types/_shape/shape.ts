/** What is wrong with a value: where, and why. */
export interface ShapeFault {
  /** The path inside the value, such as `.actions[0].status`; empty for the value itself. */
  readonly path: string;
  /** What stands there; `undefined` if nothing does. */
  readonly value: unknown;
  /** Why it must not, in words that go after "as". */
  readonly reason: string;
  /** Whether it is a kind or a union member that this version does not know: a later one may. */
  readonly unknownMember: boolean;
}

/** What a shape may be lenient about. */
export interface ShapeLeniency {
  /** Whether objects may have fields that this version does not know. */
  readonly unknownFields: boolean;
}

/**
 * What a value of type `T` looks like at run time. It gives the first fault, or `undefined` for a value that is a `T`;
 * it never throws on plain JSON and never changes the value.
 *
 * `T` is invariant: a shape that refuses what the type allows, or takes what it forbids, is no `Shape<T>`. So the
 * compiler finds every field, optional field and union member in which a shape and its type have parted.
 */
export interface Shape<in out T> {
  /** Looks at a value. */
  (value: unknown, leniency: ShapeLeniency): ShapeFault | undefined;
}

/** What {@link checkShape} gives: the value with its type, or what is wrong with it. */
export type CheckedShape<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: ShapeFault };

const STRICT: ShapeLeniency = { unknownFields: false };

/**
 * Checks a value of unknown type, such as what `JSON.parse` gave. The value is not copied.
 *
 * @example
 * ```ts
 * import { checkShape, messageShape } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const given: unknown = JSON.parse('{"role": "user", "content": [{"type": "text"}]}');
 * const checked = checkShape(given, messageShape);
 * assertEquals(checked.ok ? "" : checked.fault.path, ".content[0].text");
 * ```
 *
 * @param leniency What to be lenient about. Default: nothing.
 */
export function checkShape<T>(
  value: unknown,
  shape: Shape<T>,
  leniency: ShapeLeniency = STRICT,
): CheckedShape<T> {
  const fault = shape(value, leniency);
  // The one place where a value gets the type of the shape that it was found to have.
  return fault === undefined ? { ok: true, value: value as T } : { ok: false, fault };
}

/** A fault at the value itself. */
export function shapeFault(value: unknown, reason: string, unknownMember = false): ShapeFault {
  return { path: "", value, reason, unknownMember };
}

/** A fault inside a value, seen from the value around it. */
export function faultUnder(step: string, fault: ShapeFault): ShapeFault {
  return { ...fault, path: step + fault.path };
}

/** A shape of whatever type, where only its faults matter. */
export type AnyShape = (value: unknown, leniency: ShapeLeniency) => ShapeFault | undefined;
