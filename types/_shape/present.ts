/** `T` with every property that may be `undefined` made optional instead. */
export type Present<T> =
  & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/**
 * A copy without the properties whose value is `undefined`: absent means "did not happen", and a record never says
 * it in any other way.
 *
 * @example
 * ```ts
 * import { present } from "@polyloop/polyloop/types";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(Object.keys(present({ answer: undefined, at: "now" })), ["at"]);
 * ```
 */
export function present<T extends object>(properties: T): Present<T> {
  const result: Record<string, unknown> = {};
  for (const key in properties) {
    if (properties[key] !== undefined) result[key] = properties[key];
  }
  return result as Present<T>;
}
