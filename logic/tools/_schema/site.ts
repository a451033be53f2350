import {
  excerpt,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  UnsupportedSchemaError,
} from "../../../types/mod.ts";
import { readPattern } from "./pattern.ts";
import type { Check, Evaluated, Fault, Node } from "./run.ts";

/** One keyword of one schema, while it is compiled. */
export interface Site {
  /** The keyword. */
  readonly keyword: string;
  /** Its value. */
  readonly value: JsonValue;
  /** The JSON pointer of the keyword. */
  readonly pointer: string;
  /** The schema below the keyword, for a member of the value at hand. Without a token: the keyword's own value. */
  below(token?: string | number): Node;
  /** The schema below the keyword, for the value at hand itself. */
  inPlace(token?: string | number): Node;
  /** The schema that a reference means, for the value at hand itself; known once all schemas are compiled. */
  referred(reference: string): { readonly to: Node };
  /** Another keyword of the same schema. Absent: the schema does not have it. */
  sibling(keyword: string): Site | undefined;
}

/** Compiles a keyword; nothing if it checks nothing by itself. */
export type Keyword<E extends Evaluated | undefined = Evaluated | undefined> = (
  site: Site,
) => Check<E> | undefined;

/** What a keyword says when it is broken. */
export function faultOf(site: Site, expected: string): Fault {
  return { rule: site.keyword, schemaPointer: site.pointer, expected };
}

/** The error for a keyword whose value is not as it must be. */
export function misused(site: Site, mustBe: string): UnsupportedSchemaError {
  return new UnsupportedSchemaError(
    site.pointer,
    `the value of "${site.keyword}" must be ${mustBe}`,
  );
}

/** The keyword's value as a whole number of at least 0. */
export function asCount(site: Site): number {
  const { value } = site;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    throw misused(site, "a whole number of at least 0");
  }
  return value;
}

/** The keyword's value as a number. */
export function asNumber(site: Site): number {
  if (typeof site.value !== "number") throw misused(site, "a number");
  return site.value;
}

/** The keyword's value as an array of different strings. */
export function asNames(site: Site, value: JsonValue = site.value): readonly string[] {
  if (
    !isJsonArray(value) || !value.every((name) => typeof name === "string") ||
    new Set(value).size !== value.length
  ) {
    throw misused(site, "an array of different strings");
  }
  return value;
}

/** The keyword's value as an object. */
export function asObject(site: Site): JsonObject {
  if (!isJsonObject(site.value)) throw misused(site, "an object");
  return site.value;
}

/** The keyword's value as an array of at least one schema, each for the value at hand. */
export function asBranches(site: Site): readonly Node[] {
  if (!isJsonArray(site.value) || site.value.length === 0) {
    throw misused(site, "an array of at least one schema");
  }
  return site.value.map((_, i) => site.inPlace(i));
}

/** A text as a regular expression, read as Unicode and matched anywhere. */
export function asPattern(site: Site, source: JsonValue): RegExp {
  if (typeof source !== "string") throw misused(site, "a regular expression");
  try {
    return readPattern(source);
  } catch (cause) {
    throw new UnsupportedSchemaError(
      site.pointer,
      `${JSON.stringify(excerpt(source, 200))} is not a regular expression with the flag "u"`,
      { cause },
    );
  }
}
