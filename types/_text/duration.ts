/**
 * A duration for people.
 *
 * @example
 * ```ts
 * import { duration } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([duration(12.3), duration(1_234)], ["12 ms", "1.2 s"]);
 * ```
 *
 * @param ms In milliseconds.
 */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
