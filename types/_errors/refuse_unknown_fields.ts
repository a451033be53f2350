import { nearestNameAdvice } from "../_text/nearest_name.ts";
import { InvalidRequestError } from "./request_errors.ts";

/** An object with all the fields that a type has: the compiler finds each that is missing, or that there is not. */
export type KnownFields<T extends object> = Readonly<Record<keyof T, unknown>>;

/** How an error names the place of a field. */
export interface FieldPlace {
  /** What stands before its name: the path. Absent: nothing. */
  readonly prefix?: string;
  /** What the object is called that the fields are in. Absent: as the prefix says, or "options" without one. */
  readonly whole?: string;
  /** Whether values are kept out of the error, since they may be secret. Absent: they are shown. */
  readonly hideValues?: boolean;
  /** What to do with a field that no other is near to. Absent: nothing is advised. */
  readonly advice?: string;
}

/**
 * Refuses a field that nobody would read, and names the nearest that there is: a slip of the pen must not go unnoticed.
 *
 * @param known The fields that there are.
 * @throws {InvalidRequestError} If a field is none of them, or the fields are not in an object.
 */
export function refuseUnknownFields<T extends object>(
  given: T,
  known: KnownFields<NoInfer<T>>,
  place: FieldPlace = {},
): void {
  const { prefix = "", hideValues = false, advice } = place;
  const { whole = prefix.replace(/\.$/, "") || "options" } = place;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InvalidRequestError(whole, hideValues ? HIDDEN : given, "it must be an object");
  }
  for (const [field, value] of Object.entries(given)) {
    if (Object.hasOwn(known, field)) continue;
    const nearest = nearestNameAdvice(field, Object.keys(known));
    const detail = `there is no such field${nearest || (advice ? ` (${advice})` : "")}`;
    throw new InvalidRequestError(`${prefix}${field}`, hideValues ? HIDDEN : value, detail);
  }
}

const HIDDEN = "(hidden)";
