import { InvalidRequestError } from "./request_errors.ts";

/**
 * Refuses an argument that is not a string, where the language would take it for one or fail in its own words.
 *
 * @throws {InvalidRequestError} Naming the argument.
 */
export function requireString(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string") {
    throw new InvalidRequestError(name, value, "it must be a string");
  }
}

/**
 * Refuses an argument that is not an array. What it holds is not looked at.
 *
 * @throws {InvalidRequestError} Naming the argument.
 */
export function requireArray(name: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidRequestError(name, value, "it must be an array");
}

/**
 * Refuses an argument that cannot be gone through, at once or as it comes. What it holds is not looked at.
 *
 * @throws {InvalidRequestError} Naming the argument.
 */
export function requireIterable(name: string, value: unknown): void {
  const found = Object(value);
  const isIterable = [Symbol.iterator, Symbol.asyncIterator].some((symbol) =>
    typeof found[symbol] === "function"
  );
  if (isIterable && typeof value !== "string") return;
  throw new InvalidRequestError(name, value, "it must be an array or another iterable");
}

/**
 * Refuses an argument that is not a whole number, 0 or more.
 *
 * @throws {InvalidRequestError} Naming the argument.
 */
export function requireCount(name: string, value: unknown): asserts value is number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) {
    throw new InvalidRequestError(name, value, "it must be a whole number, 0 or more");
  }
}
