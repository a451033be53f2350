import { InvalidRequestError } from "../_errors/request_errors.ts";
import { SerializationError } from "../_errors/serialization_error.ts";
import { copyJson, type JsonValue } from "../json.ts";
import { type CheckedShape, checkShape, type Shape, shapeFault } from "./shape.ts";

/**
 * A deep-frozen copy of a value that is of a shape, or what is wrong with it: also where JSON cannot carry it. What
 * reading the value throws is thrown on.
 */
export function copyShaped<T>(value: unknown, shape: Shape<T>): CheckedShape<T> {
  let copy: JsonValue;
  try {
    copy = copyJson(value, "");
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    return { ok: false, fault: { ...shapeFault(error.value, error.reason), path: error.path } };
  }
  return checkShape(copy, shape);
}

/**
 * Refuses what a caller gives as a field if it is not of a shape. It is not copied, so it may hold functions.
 *
 * @param field The path of the field, for the error.
 * @throws {InvalidRequestError} For the first value that has not its shape.
 */
export function requireShape<T>(
  field: string,
  value: unknown,
  shape: Shape<T>,
): asserts value is T {
  const checked = checkShape(value, shape);
  if (checked.ok) return;
  const { path, value: found, reason } = checked.fault;
  throw new InvalidRequestError(field + path, found, reason);
}

/**
 * A deep-frozen copy of what a caller gives as a field of a request.
 *
 * @param field The path of the field, for the error.
 * @throws {InvalidRequestError} For the first value that has not its shape, or that JSON cannot carry.
 */
export function copyField<T>(field: string, value: unknown, shape: Shape<T>): T {
  if (value === undefined) throw new InvalidRequestError(field, value, "it is missing");
  const copied = copyShaped(value, shape);
  if (copied.ok) return copied.value;
  const { path, value: found, reason } = copied.fault;
  throw new InvalidRequestError(field + path, found, reason);
}
