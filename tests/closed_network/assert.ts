/**
 * `@std/assert` where JSR is out of reach: the standard library's own code, as npm carries it, with types.
 *
 * @module
 */
// deno-lint-ignore no-import-prefix -- the one place that takes code from npm
import * as std from "npm:deno-std@1.4.0/assert/mod.js";

// deno-lint-ignore no-explicit-any -- an error class may take any arguments
type ErrorClass<E extends Error> = new (...args: any[]) => E;

/** What a failed assertion throws. */
export const AssertionError: ErrorClass<Error> = std.AssertionError;

export const assert: (expr: unknown, msg?: string) => asserts expr = std.assert;
export const assertFalse: (expr: unknown, msg?: string) => void = std.assertFalse;
export const assertEquals: <T>(actual: T, expected: T, msg?: string) => void = std.assertEquals;
export const assertNotEquals: <T>(actual: T, expected: T, msg?: string) => void =
  std.assertNotEquals;
export const assertStrictEquals: <T>(
  actual: unknown,
  expected: T,
  msg?: string,
) => asserts actual is T = std.assertStrictEquals;
export const assertNotStrictEquals: <T>(actual: T, expected: T, msg?: string) => void =
  std.assertNotStrictEquals;
export const assertExists: <T>(actual: T, msg?: string) => asserts actual is NonNullable<T> =
  std.assertExists;
export const assertInstanceOf: <E extends abstract new (...args: never[]) => unknown>(
  actual: unknown,
  expected: E,
  msg?: string,
) => asserts actual is InstanceType<E> = std.assertInstanceOf;
export const assertMatch: (actual: string, expected: RegExp, msg?: string) => void =
  std.assertMatch;
export const assertNotMatch: (actual: string, expected: RegExp, msg?: string) => void =
  std.assertNotMatch;
export const assertStringIncludes: (actual: string, expected: string, msg?: string) => void =
  std.assertStringIncludes;
export const assertArrayIncludes: <T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
) => void = std.assertArrayIncludes;
export const assertObjectMatch: (
  actual: Record<PropertyKey, unknown>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
) => void = std.assertObjectMatch;
export const assertGreater: <T>(actual: T, expected: T, msg?: string) => void = std.assertGreater;
export const assertGreaterOrEqual: <T>(actual: T, expected: T, msg?: string) => void =
  std.assertGreaterOrEqual;
export const assertLess: <T>(actual: T, expected: T, msg?: string) => void = std.assertLess;
export const assertLessOrEqual: <T>(actual: T, expected: T, msg?: string) => void =
  std.assertLessOrEqual;
export const equal: (actual: unknown, expected: unknown) => boolean = std.equal;
export const fail: (msg?: string) => never = std.fail;
export const unreachable: (msg?: string) => never = std.unreachable;

export const assertThrows: {
  (fn: () => unknown, msg?: string): unknown;
  <E extends Error>(
    fn: () => unknown,
    ErrorClass: ErrorClass<E>,
    msgIncludes?: string,
    msg?: string,
  ): E;
} = std.assertThrows;

export const assertRejects: {
  (fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
  <E extends Error>(
    fn: () => PromiseLike<unknown>,
    ErrorClass: ErrorClass<E>,
    msgIncludes?: string,
    msg?: string,
  ): Promise<E>;
} = std.assertRejects;
