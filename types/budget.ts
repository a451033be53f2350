/** The limits of one run. Each is asked at its place of a step; together they bound the run (seed 0004). */
export interface Budget {
  /** How many steps the run may take: a whole number, 0 or more. 0 is a normal run without a step. */
  readonly maxSteps: number;
  /** How many model-call intents the log may hold: failed calls and replays count too. A whole number, 0 or more. */
  readonly maxModelCalls: number;
  /**
   * The size that one assembled prompt may have, in Unicode code points of its texts, tool names and arguments; a
   * prompt of exactly this size fits. Roles, ids, `providerData` and tool schemas count 0. A whole number, 0 or more.
   */
  readonly maxPromptChars: number;
  /** How many steps in a row may fail before the run ends: a whole number, 1 or more. */
  readonly maxConsecutiveFailures: number;
  /** The input and output tokens that replies may report together. Absent: no such limit. */
  readonly maxTotalTokens?: number;
  /**
   * The milliseconds that recorded steps may take together, so that the limit survives a resume. Waiting for an
   * approval does not count. Absent: no such limit.
   */
  readonly maxActiveMs?: number;
  /**
   * How many steps in a row may have equal actions, compared as canonical JSON; a step without actions ends the row.
   * A whole number, 1 or more. Absent: no such limit.
   */
  readonly maxIdenticalActions?: number;
}

/**
 * The tokens of one model call, as its provider reported them: numbers up to `Number.MAX_SAFE_INTEGER`. A part that
 * was not reported is absent, never 0.
 */
export interface Usage {
  /** Tokens of the prompt, cached ones included. */
  readonly inputTokens?: number;
  /** Tokens of the reply, reasoning included. */
  readonly outputTokens?: number;
  /** Tokens of the prompt that were read from a cache. */
  readonly cachedInputTokens?: number;
  /** Tokens of the prompt that were written to a cache. */
  readonly cacheWriteTokens?: number;
  /** Tokens of the reply that were reasoning. */
  readonly reasoningTokens?: number;
}

/** What a run has spent, derived from its log alone. */
export interface RunCounters {
  /** Recorded steps. */
  readonly steps: number;
  /** Model-call intents in the log, failed calls and replays included. */
  readonly modelCalls: number;
  /** Input and output tokens that replies reported, added up. */
  readonly totalTokens: number;
  /** The size of the largest prompt that was sent, in code points; 0 if none was. */
  readonly largestPromptChars: number;
}
