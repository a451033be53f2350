import { isPlainObject } from "./object_shape.ts";
import { memberShape } from "./scalar_shapes.ts";
import { type AnyShape, faultUnder, type Shape, shapeFault } from "./shape.ts";

/** For each value of the tag the shape of the union's members that have it. */
export type UnionMembers<T, Tag extends keyof T> = {
  readonly [K in T[Tag] & string]: Shape<Extract<T, { readonly [_ in Tag]: K }>>;
};

/**
 * An object whose field `tag` says which member of the union it is.
 *
 * @example
 * ```ts
 * import { checkShape, literalShape, objectShape, type Shape, unionShape, wholeNumberShape } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * type Light = { readonly is: "off" } | { readonly is: "on"; readonly percent: number };
 * const lightShape: Shape<Light> = unionShape("is", {
 *   off: objectShape({ is: literalShape("off") }),
 *   on: objectShape({ is: literalShape("on"), percent: wholeNumberShape(1, 100) }),
 * });
 * assertEquals(checkShape({ is: "on", percent: 50 }, lightShape).ok, true);
 * assertEquals(checkShape({ is: "off", percent: 0 }, lightShape).ok, false);
 * ```
 */
export function unionShape<T extends object, Tag extends keyof T & string>(
  tag: Tag,
  members: NoInfer<UnionMembers<T, Tag>>,
): Shape<T> {
  const shapes = new Map<unknown, AnyShape>(Object.entries<AnyShape>(members));
  const tagShape = memberShape(Object.keys(members));
  return (value, leniency) => {
    if (!isPlainObject(value)) return shapeFault(value, "it must be an object");
    const kind = value[tag];
    const shape = shapes.get(kind);
    if (shape !== undefined) return shape(value, leniency);
    const fault = kind === undefined ? shapeFault(kind, "it is missing") : tagShape(kind, leniency);
    return fault && faultUnder(`.${tag}`, fault);
  };
}

/** A value of one of two shapes, as a look at the value tells: its fault is that of the shape that it was to have. */
export function eitherShape<A, B>(
  isFirst: (value: unknown) => boolean,
  first: Shape<A>,
  second: Shape<B>,
): Shape<A | B> {
  return (value, leniency) => isFirst(value) ? first(value, leniency) : second(value, leniency);
}
