import { compareCodePoints } from "../_text/code_points.ts";

/** Where two values part. */
export interface ValueDifference {
  /** The path from the values, such as `.content[0].text`; empty for the values themselves. */
  readonly path: string;
  /** What the one has there; `undefined` if nothing. */
  readonly a: unknown;
  /** What the other has there; `undefined` if nothing. */
  readonly b: unknown;
}

/**
 * The first place at which two values of JSON differ: array by index, object by key in the order of code points. A member
 * that is `undefined` counts as absent.
 *
 * @example
 * ```ts
 * import { firstDifference } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(firstDifference({ at: [1, 2] }, { at: [1, 3] }), { path: ".at[1]", a: 2, b: 3 });
 * assertEquals(firstDifference({ a: 1, b: [] }, { b: [], a: 1 }), undefined);
 * ```
 */
export function firstDifference(a: unknown, b: unknown): ValueDifference | undefined {
  if (a === b) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    const indices = Array.from({ length: Math.max(a.length, b.length) }, (_, i) => i);
    return firstUnder(indices, (i) => `[${i}]`, (i) => [a[i], b[i]]);
  }
  if (!isObject(a) || !isObject(b)) return { path: "", a, b };
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(compareCodePoints);
  return firstUnder(keys, (key) => `.${key}`, (key) => [a[key], b[key]]);
}

function firstUnder<K>(
  keys: readonly K[],
  step: (key: K) => string,
  members: (key: K) => readonly [a: unknown, b: unknown],
): ValueDifference | undefined {
  for (const key of keys) {
    const [a, b] = members(key);
    const found = firstDifference(a, b);
    if (found !== undefined) return { ...found, path: step(key) + found.path };
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
