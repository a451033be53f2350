/** Whether this is `deno task fuzz`, which holds each property against all that there is, where `deno task test` takes a sample. */
export const IS_WHOLE: boolean = Deno.args.includes("--whole");

/**
 * How many values a property is held against: a hundredth of the whole figure in `deno task test`, all in
 * `deno task fuzz`.
 */
export function fuzzRounds(whole: number): number {
  return IS_WHOLE ? whole : Math.ceil(whole / 100);
}

/** Of values that a property is held against, every tenth in `deno task test`, all in `deno task fuzz`. */
export function fuzzSample<T>(values: readonly T[]): readonly T[] {
  return IS_WHOLE ? values : values.filter((_, i) => i % 10 === 3);
}
