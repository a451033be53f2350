/**
 * How many values a property is held against: a hundredth of the whole figure in `deno task test`, all in
 * `deno task fuzz`.
 */
export function fuzzRounds(whole: number): number {
  return Deno.args.includes("--whole") ? whole : Math.ceil(whole / 100);
}

/** Of values that a property is held against, every tenth in `deno task test`, all in `deno task fuzz`. */
export function fuzzSample<T>(values: readonly T[]): readonly T[] {
  return Deno.args.includes("--whole") ? values : values.filter((_, i) => i % 10 === 3);
}
