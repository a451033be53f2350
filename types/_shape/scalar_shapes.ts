import type { JsonValue } from "../json.ts";
import { type Shape, shapeFault } from "./shape.ts";

/** The shape of the values that a look tells from all others. */
function valueShape<T>(isSuch: (value: unknown) => value is T, reason: string): Shape<T> {
  return (value) => isSuch(value) ? undefined : shapeFault(value, reason);
}

/** A text of a form. */
function textShape(form: RegExp, reason: string): Shape<string> {
  return valueShape(
    (value): value is string => typeof value === "string" && form.test(value),
    reason,
  );
}

/** Any JSON value. What is inside is not looked at: whoever checks has parsed or copied it. */
export const jsonShape: Shape<JsonValue> = valueShape(
  (value): value is JsonValue => value !== undefined,
  "it is missing",
);

/** A text. */
export const stringShape: Shape<string> = valueShape(
  (value) => typeof value === "string",
  "it must be a string",
);

/** `true` or `false`. */
export const booleanShape: Shape<boolean> = valueShape(
  (value) => typeof value === "boolean",
  "it must be true or false",
);

/** The answer of a question that tells a union's two members apart. */
export function answerShape<const Answer extends boolean>(answer: Answer): Shape<Answer> {
  return (value) => value === answer ? undefined : shapeFault(value, "it must be true or false");
}

/** A number, 0 or more. */
export const amountShape: Shape<number> = valueShape(
  (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0,
  "it must be a number, 0 or more",
);

/** A whole number in a range, both ends included. */
export function wholeNumberShape(
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): Shape<number> {
  return valueShape(
    (value): value is number =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most,
    `it must be a whole number from ${least} to ${most}`,
  );
}

/** A whole number, 0 or more: an index, or how many there are of something. */
export const countShape: Shape<number> = wholeNumberShape(0);

/** A point in time as `Date.prototype.toISOString` writes it: no month 13, no 30 February. */
export const instantShape: Shape<string> = valueShape(
  (value): value is string => typeof value === "string" && isInstant(value),
  "it must be a time in ISO 8601, UTC",
);

function isInstant(text: string): boolean {
  const date = new Date(text);
  return Number.isFinite(date.getTime()) && date.toISOString() === text;
}

/** A digest as `digest` writes it. */
export const digestShape: Shape<string> = textShape(
  /^sha256:[0-9a-f]{64}$/,
  'it must be "sha256:" and 64 hex digits',
);

/** The name of something that stands in a list of the parameter snapshot, where commas separate names. */
export const listedNameShape: Shape<string> = valueShape(
  (value): value is string => typeof value === "string" && value !== "" && !value.includes(","),
  "it must be a string that is not empty and holds no comma",
);

/** One of a union's members. A text that is none may be one that a later version adds. */
export function memberShape<const Members extends readonly string[]>(
  members: Members,
): Shape<Members[number]> {
  const known: ReadonlySet<unknown> = new Set(members);
  const reason = `it must be one of ${members.join(", ")}`;
  return (value) =>
    known.has(value) ? undefined : shapeFault(value, reason, typeof value === "string");
}

/** One value and no other: the tag of a union's member, or a flag that is only ever `true`. */
export function literalShape<const Literal extends string | boolean>(
  literal: Literal,
): Shape<Literal> {
  const reason = `it must be ${JSON.stringify(literal)}`;
  return (value) =>
    value === literal ? undefined : shapeFault(value, reason, typeof value === "string");
}

/** A function. What it takes and gives, no look tells. */
export function functionShape<F extends (...args: never[]) => unknown>(): Shape<F> {
  return valueShape((value): value is F => typeof value === "function", "it must be a function");
}

/** No value at all: of a field that must not be there, with the reason. */
export function absentShape(reason: string): Shape<never> {
  return (value) => shapeFault(value, reason);
}
