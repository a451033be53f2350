import { isPlainObject } from "./object_shape.ts";
import { faultUnder, type Shape, shapeFault } from "./shape.ts";

/** An array of values of one shape, with so many at least. */
export function arrayShape<T>(item: Shape<T>, least = 0): Shape<readonly T[]> {
  return (value, leniency) => {
    if (!Array.isArray(value)) return shapeFault(value, "it must be an array");
    if (value.length < least) return shapeFault(value, `it must have at least ${least} item`);
    for (let i = 0; i < value.length; i++) {
      const fault = item(value[i], leniency);
      if (fault !== undefined) return faultUnder(`[${i}]`, fault);
    }
    return undefined;
  };
}

/** An object with any keys, and values of one shape. */
export function mapShape<T>(member: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, leniency) => {
    if (!isPlainObject(value)) return shapeFault(value, "it must be an object");
    for (const key of Object.keys(value)) {
      const fault = member(value[key], leniency);
      if (fault !== undefined) return faultUnder(`.${key}`, fault);
    }
    return undefined;
  };
}
