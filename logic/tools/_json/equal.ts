import type { JsonValue } from "../../../types/mod.ts";
import { enter, isArray, isObject, type Run, spend } from "../_schema/run.ts";

/** Whether two JSON values are equal: numbers by value, objects whatever the order of their keys. */
export function jsonEqual(a: JsonValue, b: JsonValue, run: Run): boolean {
  spend(run, 1);
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]!, run));
  }
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key]!, b[key]!, run));
}

/** A text that two JSON values share exactly when they are equal. */
export function equalityKey(value: JsonValue, run: Run): string {
  spend(run, typeof value === "string" ? 1 + (value.length >> 4) : 1);
  if (!isArray(value) && !isObject(value)) return JSON.stringify(value);
  enter(run);
  const key = isArray(value)
    ? `[${value.map((item) => equalityKey(item, run)).join(",")}]`
    : `{${
      Object.keys(value).sort().map((name) =>
        `${JSON.stringify(name)}:${equalityKey(value[name]!, run)}`
      ).join(",")
    }}`;
  run.depth--;
  spend(run, key.length >> 4);
  return key;
}
