/**
 * A camelCase name as the keys of a run's parameters and the columns of an export write it.
 *
 * @example
 * ```ts
 * import { snakeCase } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(snakeCase("maxModelCalls"), "max_model_calls");
 * ```
 */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The camelCase name that {@link snakeCase} wrote so. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
