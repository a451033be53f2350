/**
 * How many values a property is held against: a hundredth of the whole figure in `deno task test`, all in
 * `deno task fuzz`.
 */
export function fuzzRounds(whole: number): number {
  return Deno.args.includes("--whole") ? whole : Math.ceil(whole / 100);
}
