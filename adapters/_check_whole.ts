import { InvalidRequestError } from "../types/mod.ts";

/**
 * Checks an option that is a whole number.
 *
 * @throws {InvalidRequestError} If it is none, or less than the minimum.
 */
export function checkWhole(field: string, value: number, minimum: number): void {
  if (!Number.isSafeInteger(value) || value < minimum) {
    throw new InvalidRequestError(field, value, `it must be a whole number, ${minimum} or more`);
  }
}
