import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../types/mod.ts";
import { enter, type Run, spend } from "../_schema/run.ts";

/** A text that two JSON values share exactly when they are equal. */
export function equalityKey(value: JsonValue, run: Run): string {
  spend(run, typeof value === "string" ? 1 + (value.length >> 4) : 1);
  if (!isJsonArray(value) && !isJsonObject(value)) return JSON.stringify(value);
  enter(run);
  const key = isJsonArray(value)
    ? `[${value.map((item) => equalityKey(item, run)).join(",")}]`
    : `{${
      sortedMembers(value).map(([name, member]) =>
        `${JSON.stringify(name)}:${equalityKey(member, run)}`
      ).join(",")
    }}`;
  run.depth--;
  spend(run, key.length >> 4);
  return key;
}

function sortedMembers(value: JsonObject): readonly [name: string, member: JsonValue][] {
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
}
