import { nearestNameAdvice } from "../_text/nearest_name.ts";
import { type AnyShape, faultUnder, type Shape, shapeFault } from "./shape.ts";

/** A field that may be absent, or `undefined`, which counts as absent. */
export interface OptionalField<in out T> {
  /** The shape of its value where it is there. */
  readonly ifPresent: Shape<T>;
}

/** For each field of `T` its shape; {@link optionalField} for those that may be absent, and only for them. */
export type ObjectFields<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? OptionalField<Required<T>[K]>
    : Shape<T[K]>;
};

/** Says that a field may be absent. */
export function optionalField<T>(ifPresent: Shape<T>): OptionalField<T> {
  return { ifPresent };
}

/**
 * An object with these fields and no others. `T` is the type that the shape is declared with, never told from the
 * fields: they must be the fields of that type.
 *
 * @example
 * ```ts
 * import { checkShape, objectShape, optionalField, type Shape, stringShape } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * interface Author {
 *   readonly name: string;
 *   readonly email?: string;
 * }
 * const authorShape: Shape<Author> = objectShape({
 *   name: stringShape,
 *   email: optionalField(stringShape),
 * });
 * assertEquals(checkShape({ name: "Ada" }, authorShape).ok, true);
 * assertEquals(checkShape({ name: "Ada", mail: "" }, authorShape).ok, false);
 * ```
 */
export function objectShape<T extends object>(fields: NoInfer<ObjectFields<T>>): Shape<T> {
  const checks: FieldCheck[] = [];
  for (const key in fields) {
    const field: AnyShape | { readonly ifPresent: AnyShape } = fields[key];
    const isOptional = "ifPresent" in field;
    checks.push({ key, step: `.${key}`, isOptional, shape: isOptional ? field.ifPresent : field });
  }
  const names = new Set(checks.map(({ key }) => key));
  return (value, leniency) => {
    if (!isPlainObject(value)) return shapeFault(value, "it must be an object");
    let present = 0;
    for (const { key, step, isOptional, shape } of checks) {
      const member = value[key];
      if (member === undefined) {
        if (isOptional) continue;
        return faultUnder(step, shapeFault(undefined, "it is missing"));
      }
      present++;
      const fault = shape(member, leniency);
      if (fault !== undefined) return faultUnder(step, fault);
    }
    return leniency.unknownFields ? undefined : unknownField(value, present, names);
  };
}

/** How one field is checked. */
interface FieldCheck {
  readonly key: string;
  readonly step: string;
  readonly isOptional: boolean;
  readonly shape: AnyShape;
}

function unknownField(
  value: Readonly<Record<string, unknown>>,
  present: number,
  names: ReadonlySet<string>,
): ReturnType<AnyShape> {
  const keys = Object.keys(value);
  if (keys.length === present) return undefined;
  const unknown = keys.find((key) => !names.has(key) && value[key] !== undefined);
  if (unknown === undefined) return undefined;
  const reason = `there is no such field${nearestNameAdvice(unknown, [...names])}`;
  return faultUnder(`.${unknown}`, shapeFault(value[unknown], reason));
}

/** Whether a value is an object and no list. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
