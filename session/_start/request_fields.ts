import {
  type Budget,
  copyField,
  InvalidRequestError,
  jsonShape,
  mapShape,
  memberShape,
  type RunInputs,
  stringShape,
} from "../../types/mod.ts";

/** What a reply without its tokens does, copied. */
export function copyUnknownUsage(
  onUnknownUsage: "ignore" | "stop",
  { maxTotalTokens }: Budget,
): "ignore" | "stop" {
  const copy = copyField("onUnknownUsage", onUnknownUsage, memberShape(["ignore", "stop"]));
  if (copy === "ignore" || maxTotalTokens !== undefined) return copy;
  throw new InvalidRequestError("onUnknownUsage", copy, "it needs the limit budget.maxTotalTokens");
}

/** A map of strings; here an `undefined` is not the same as no key, as it was surely to be a string. */
export function copyTexts(field: string, map: object): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(Object(map))) {
    if (value === undefined) {
      throw new InvalidRequestError(`${field}.${key}`, value, "it must be a string");
    }
  }
  return copyField(field, map, mapShape(stringShape));
}

/** The report of a context, copied. Absent: there is none. */
export function copyReport(report: object | undefined): RunInputs["report"] {
  return report === undefined ? undefined : copyField("report", report, mapShape(jsonShape));
}
