import {
  countCodePoints,
  counted,
  excerpt,
  isJsonArray,
  isJsonObject,
  isSameJson,
  type JsonValue,
} from "../../../types/mod.ts";
import { divides, readDecimal } from "../_json/decimal.ts";
import { type Check, fail, type Run, spend } from "./run.ts";
import {
  asCount,
  asNames,
  asNumber,
  asPattern,
  faultOf,
  type Keyword,
  misused,
  type Site,
} from "./site.ts";

const TYPES: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  ["null", (value: JsonValue) => value === null],
  ["boolean", (value: JsonValue) => typeof value === "boolean"],
  ["integer", Number.isInteger],
  ["number", (value: JsonValue) => typeof value === "number"],
  ["string", (value: JsonValue) => typeof value === "string"],
  ["array", isJsonArray],
  ["object", isJsonObject],
]);

function type(site: Site): Check {
  const names = asNames(site, typeof site.value === "string" ? [site.value] : site.value);
  const [first, ...others] = names.flatMap((name) => TYPES.get(name) ?? []);
  if (first === undefined || 1 + others.length < names.length) {
    throw misused(site, `one or more of ${[...TYPES.keys()].join(", ")}`);
  }
  const fault = faultOf(site, names.join(" or "));
  return (value, run) =>
    first(value) || others.some((test) => test(value)) || fail(run, fault, value);
}

function constant(site: Site): Check {
  const fault = faultOf(site, clipped(site.value));
  return (value, run) =>
    isSameJson(site.value, value, () => spend(run, 1)) || fail(run, fault, value);
}

function enumeration(site: Site): Check {
  const options = site.value;
  if (!isJsonArray(options)) throw misused(site, "an array");
  const fault = faultOf(site, `one of ${clipped(options)}`);
  const plain = new Set(options.filter((option) => !isStructured(option)));
  const structured = options.filter(isStructured);
  return (value, run) =>
    (isStructured(value)
      ? structured.some((option) => isSameJson(option, value, () => spend(run, 1)))
      : plain.has(value)) || fail(run, fault, value);
}

function isStructured(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}

function clipped(value: JsonValue): string {
  return excerpt(JSON.stringify(value), 400);
}

function multipleOf(site: Site): Check {
  const divisor = asNumber(site);
  if (divisor <= 0) throw misused(site, "a number above 0");
  const fault = faultOf(site, `a multiple of ${divisor}`);
  const exact = readDecimal(String(divisor));
  const isMultiple = (value: number) =>
    Number.isSafeInteger(value) && Number.isSafeInteger(divisor)
      ? value % divisor === 0
      : divides(exact, readDecimal(String(value)));
  return (value, run) => typeof value !== "number" || isMultiple(value) || fail(run, fault, value);
}

function bound(words: string, holds: (value: number, limit: number) => boolean): Keyword {
  return (site) => {
    const limit = asNumber(site);
    const fault = faultOf(site, `a number ${words} ${limit}`);
    return (value, run) =>
      typeof value !== "number" || holds(value, limit) || fail(run, fault, value);
  };
}

function maxLength(site: Site): Check {
  const limit = asCount(site);
  const fault = faultOf(site, `at most ${counted(limit, "character")}`);
  return (value, run) =>
    typeof value !== "string" || value.length <= limit || lengthOf(value, run) <= limit ||
    fail(run, fault, value, counted(countCodePoints(value), "character"));
}

function minLength(site: Site): Check {
  const limit = asCount(site);
  const fault = faultOf(site, `at least ${counted(limit, "character")}`);
  return (value, run) =>
    typeof value !== "string" || lengthOf(value, run) >= limit ||
    fail(run, fault, value, counted(countCodePoints(value), "character"));
}

function lengthOf(text: string, run: Run): number {
  spend(run, text.length >> 6);
  return countCodePoints(text);
}

/**
 * A text that is too long beside it is not matched, not for a report either: a pattern may take time that grows much
 * faster than the text, and the model writes the text.
 */
function pattern(site: Site): Check {
  const regExp = asPattern(site, site.value);
  const fault = faultOf(site, `a text that matches ${site.value}`);
  const longest = site.sibling("maxLength");
  const limit = longest === undefined ? Infinity : asCount(longest);
  return (value, run) => {
    if (typeof value !== "string") return true;
    if (value.length > limit && lengthOf(value, run) > limit) return true;
    spend(run, value.length >> 6);
    return regExp.test(value) || fail(run, fault, value);
  };
}

/** The keywords that look at a value without looking into it. */
export const SCALAR_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type,
  const: constant,
  enum: enumeration,
  multipleOf,
  minimum: bound("of at least", (value, limit) => value >= limit),
  exclusiveMinimum: bound("above", (value, limit) => value > limit),
  maximum: bound("of at most", (value, limit) => value <= limit),
  exclusiveMaximum: bound("below", (value, limit) => value < limit),
  minLength,
  maxLength,
  pattern,
};
