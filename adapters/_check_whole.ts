import { InvalidRequestError } from "../types/mod.ts";

/** The longest time that a timer can wait for, in milliseconds. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/**
 * Checks an option that is a whole number.
 *
 * @throws {InvalidRequestError} If it is none, or out of its bounds.
 */
export function checkWhole(
  field: string,
  value: number,
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
): void {
  if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return;
  const bounds = maximum === Number.MAX_SAFE_INTEGER
    ? `${minimum} or more`
    : `from ${minimum} to ${maximum}`;
  throw new InvalidRequestError(field, value, `it must be a whole number, ${bounds}`);
}
