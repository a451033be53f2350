/**
 * A number of things, with the right form of their name, in English.
 *
 * @example
 * ```ts
 * import { counted } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([1, 2].map((amount) => counted(amount, "step")), ["1 step", "2 steps"]);
 * assertEquals(counted(0, "property"), "0 properties");
 * ```
 */
export function counted(amount: number, thing: string): string {
  if (amount === 1) return `1 ${thing}`;
  return `${amount} ${thing.endsWith("y") ? `${thing.slice(0, -1)}ies` : `${thing}s`}`;
}
