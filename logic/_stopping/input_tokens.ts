/** What replies of steps reported of the tokens of their prompts, those of 0 left out. */
export interface ReportedTokens {
  /** The tokens of the last one. */
  readonly last: number;
  /** The size of its prompt, in code points. */
  readonly lastChars: number;
  /** The tokens of all. */
  readonly sum: number;
  /** The size of all their prompts. */
  readonly sumChars: number;
}

/**
 * How many tokens a prompt may have: those of the last one that was reported, and for what was added since as many for
 * each code point as all reports together have. Absent: none was reported.
 */
export function estimatedTokens(
  reported: ReportedTokens | undefined,
  promptChars: number,
): number | undefined {
  if (reported === undefined) return undefined;
  const { last, lastChars, sum, sumChars } = reported;
  return sumChars === 0 ? last : last + (promptChars - lastChars) * sum / sumChars;
}
