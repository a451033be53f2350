/** What is wrong with a value: where, why, and whether a later minor version of the schema may have made it right. */
export interface Fault {
  /** The path inside the value, such as `.actions[0].status`. */
  readonly path: string;
  /** What stands there; `undefined` if nothing does. */
  readonly value: unknown;
  readonly reason: string;
  /** Whether it is a kind or a union member that this version does not know. */
  readonly unknownMember: boolean;
}

/** What a shape may be lenient about. */
export interface Leniency {
  /** Whether objects may have fields that this version does not know. */
  readonly unknownFields: boolean;
}

/** Checks a value's shape: the first fault, or `undefined`. It never throws and never changes the value. */
export type Shape = (value: unknown, leniency: Leniency) => Fault | undefined;

/** A fault at the value itself. */
export function fault(value: unknown, reason: string, unknownMember = false): Fault {
  return { path: "", value, reason, unknownMember };
}

/** Any JSON value; what is inside is not looked at. */
export const anyJson: Shape = () => undefined;

/** A text. */
export const text: Shape = (value) =>
  typeof value === "string" ? undefined : fault(value, "it must be a text");

/** `true` or `false`. */
export const bool: Shape = (value) =>
  typeof value === "boolean" ? undefined : fault(value, "it must be true or false");

/** A whole number, 0 or more. */
export const count: Shape = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? undefined
    : fault(value, "it must be a whole number, 0 or more");

/** A number, 0 or more. */
export const amount: Shape = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0
    ? undefined
    : fault(value, "it must be a number, 0 or more");

/** A point in time as `Date.prototype.toISOString` writes it. */
export const instant: Shape = (value) =>
  typeof value === "string" && INSTANT.test(value)
    ? undefined
    : fault(value, "it must be a time in ISO 8601, UTC");

const INSTANT = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A digest as `digest` writes it. */
export const digestText: Shape = (value) =>
  typeof value === "string" && DIGEST.test(value)
    ? undefined
    : fault(value, 'it must be "sha256:" and 64 hex digits');

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** One of a union's members. */
export function member(members: readonly string[]): Shape {
  return (value) => {
    if (typeof value !== "string") return fault(value, "it must be a text");
    return members.includes(value)
      ? undefined
      : fault(value, `it must be one of ${members.join(", ")}`, true);
  };
}

/** A list of values of one shape. */
export function list(shape: Shape, least = 0): Shape {
  return (value, leniency) => {
    if (!Array.isArray(value)) return fault(value, "it must be a list");
    if (value.length < least) return fault(value, `it must have at least ${least} item`);
    for (let i = 0; i < value.length; i++) {
      const inner = shape(value[i], leniency);
      if (inner !== undefined) return { ...inner, path: `[${i}]${inner.path}` };
    }
    return undefined;
  };
}

/** An object with any keys and values of one shape. */
export function mapOf(shape: Shape): Shape {
  return (value, leniency) => {
    if (!isObject(value)) return fault(value, "it must be an object");
    for (const key of Object.keys(value)) {
      const inner = shape(value[key], leniency);
      if (inner !== undefined) return { ...inner, path: `.${key}${inner.path}` };
    }
    return undefined;
  };
}

/** An object with these fields. */
export function object(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const fields = new Map(Object.entries({ ...required, ...optional }));
  const needed = Object.keys(required);
  return (value, leniency) => {
    if (!isObject(value)) return fault(value, "it must be an object");
    for (const key of needed) {
      if (value[key] === undefined) {
        return { ...fault(undefined, "it is missing"), path: `.${key}` };
      }
    }
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      const shape = fields.get(key);
      if (shape === undefined) {
        if (leniency.unknownFields) continue;
        return { ...fault(value[key], "it is not a field of this version"), path: `.${key}` };
      }
      const inner = shape(value[key], leniency);
      if (inner !== undefined) return { ...inner, path: `.${key}${inner.path}` };
    }
    return undefined;
  };
}

/** An object whose field `tag` says which of the shapes it has. */
export function tagged(tag: string, shapes: Readonly<Record<string, Shape>>): Shape {
  const kinds = member(Object.keys(shapes));
  return (value, leniency) => {
    if (!isObject(value)) return fault(value, "it must be an object");
    const kind = kinds(value[tag], leniency);
    if (kind !== undefined) return { ...kind, path: `.${tag}` };
    return shapes[value[tag] as string]!(value, leniency);
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
