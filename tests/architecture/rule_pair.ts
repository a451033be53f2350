/** One file that a rule takes, and one much like it that the rule refuses. */
export interface Pair {
  readonly rule: string;
  readonly good: readonly [path: string, source: string];
  readonly bad: readonly [path: string, source: string];
}

/** A file in which everything is pure. */
export const PURE_FILE = "logic/_recovery/advance.ts";

/** A pair of two contents of one file. */
export const pair = (rule: string, path: string, good: string, bad: string): Pair => ({
  rule,
  good: [path, good],
  bad: [path, bad],
});
