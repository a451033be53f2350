/**
 * The limits of one run; together they bound it. Each is a whole number up to `Number.MAX_SAFE_INTEGER`, is asked at
 * its place of a step, and cuts nothing short that has begun.
 */
export interface Budget {
  /** How many steps the run may take: 0 or more. 0 is a normal run without a step. */
  readonly maxSteps: number;
  /**
   * How many model-call intents the log may hold, 0 or more: failed calls, replays and calls that a suspension withdrew
   * count too, as each may have been billed. Not those withdrawn as failed: an outage does not spend it.
   */
  readonly maxModelCalls: number;
  /**
   * The size that one assembled prompt may have, in Unicode code points of its texts, tool names and arguments, of the
   * canonical JSON of `providerData` and, by the native protocol, of that of the visible tools; a prompt of exactly this
   * size fits. Roles and ids count 0. 0 or more.
   */
  readonly maxPromptChars: number;
  /**
   * How many input tokens one prompt may have, in the provider's own unit: 0 or more. They are estimated before each call:
   * those that the last reply reported, and for what was added since as many for each code point as replies of the run
   * reported so far. A prompt of exactly so many fits, and a run with a context policy edits a larger one first. Until a
   * reply reports any, it holds nothing up. Absent: no such limit.
   */
  readonly maxInputTokens?: number;
  /** How many failed steps in a row end the run: 1 or more. With 1 the first failure ends it. */
  readonly maxConsecutiveFailures: number;
  /** How many input and output tokens replies may report together: 0 or more. Absent: no such limit. */
  readonly maxTotalTokens?: number;
  /**
   * How many milliseconds recorded steps may take together, so that the limit survives a resume: 0 or more. Waiting for
   * an approval does not count. Absent: no such limit.
   */
  readonly maxActiveMs?: number;
  /**
   * How many steps in a row with equal actions end the run, compared as canonical JSON: 1 or more. A step without
   * actions ends the row. Absent: no such limit.
   */
  readonly maxIdenticalActions?: number;
  /**
   * How often in a row a cycle of two or three steps may be seen before the run ends, its actions compared as canonical
   * JSON: 2 or more. With 3 the actions A B A B A B end the run after the sixth step. Equal steps are such a cycle, too.
   * A step without actions ends it. Absent: no such limit.
   */
  readonly maxRepeatedCycle?: number;
  /**
   * How many steps in a row end the run all of whose actions were refused before anything happened, as their tool is
   * unknown or their arguments are wrong: 1 or more. Any other step ends the row, also one with an action that the
   * approval callback denied. Absent: no such limit.
   */
  readonly maxRejectedActions?: number;
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
  /** Model-call intents in the log: failed and withdrawn calls and replays included. */
  readonly modelCalls: number;
  /** How many of them were withdrawn, as the run was suspended or the call failed. */
  readonly withdrawnCalls: number;
  /** Input and output tokens that replies reported, added up. */
  readonly totalTokens: number;
  /** The size of the largest prompt that was sent, in code points; 0 if none was. */
  readonly largestPromptChars: number;
}
