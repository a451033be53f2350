/**
 * How a run makes room in its prompt: what of history is shortened, left out or summed up, when, and how far. History
 * itself is never changed; what the model sees is a view of it, and each edit of the view is on record. The run level,
 * the injections and the goal level cannot be edited, and a step's calls and their results stay or go together.
 *
 * Every size is in code points of the whole prompt, as `maxPromptChars` is.
 */
export interface ContextPolicy {
  /** A prompt that is larger is edited before it is sent: more than `targetChars`, at most `maxPromptChars`. */
  readonly triggerChars: number;
  /** The size that an editing is to come to: each stage stops as soon as the prompt is not larger. */
  readonly targetChars: number;
  /**
   * A prompt of more input tokens is edited, too: 1 or more. They are estimated from those that replies reported, as for
   * `maxInputTokens`, which it is by default. Without either, or where no reply reported any, the characters alone decide.
   */
  readonly triggerTokens?: number;
  /**
   * How much smaller an edit must make the prompt, since each one costs the provider's prompt cache: 0 or more, less than
   * `maxPromptChars`.
   *
   * @default {0}
   */
  readonly minReclaimChars?: number;
  /**
   * How many of the first steps are never edited.
   *
   * @default {0}
   */
  readonly keepFirstSteps?: number;
  /** How many of the last steps are never edited: 1 or more. */
  readonly keepLastSteps: number;
  /** Steps with an action of one of these tools are never edited: not all visible tools. Absent: none are pinned. */
  readonly pinnedTools?: readonly string[];
  /** What is done, in this order, until the prompt is small enough: at least one; `summarise` once at most. */
  readonly stages: readonly ContextStage[];
}

/**
 * A way to make room:
 *
 * - `elide_observations`: the results of actions, oldest first, each longer than `minChars`, become the notice.
 * - `drop_steps`: the oldest steps, as few as will do, become one `user` message, the notice. The notice of a drop before
 *   it becomes part of it.
 * - `summarise`: all steps that may go become one `user` message, the notice, with a summary that the run's model writes.
 *   An earlier summary becomes part of it. The call counts in `maxModelCalls` and in tokens, not in steps.
 */
export type ContextStage =
  | {
    /** Tells the stage's kind. */
    readonly kind: "elide_observations";
    /** Results of so many code points or fewer stay: 1 or more, less than `maxPromptChars`. */
    readonly minChars: number;
    /** What stands for a result: `{step}` is its step, `{chars}` its size. Steps of runs that this one goes on from count. */
    readonly notice: string;
  }
  | {
    /** Tells the stage's kind. */
    readonly kind: "drop_steps";
    /** What stands for the steps: `{from}` and `{to}` are the first and the last of them, `{chars}` is their size. */
    readonly notice: string;
  }
  | {
    /** Tells the stage's kind. */
    readonly kind: "summarise";
    /** What the model is told to do with the steps: the `system` message of the call. */
    readonly instruction: string;
    /** What stands for the steps: `{summary}` is the summary, `{from}` and `{to}` are the first and the last of them. */
    readonly notice: string;
    /** A longer summary is not taken: 1 or more, less than `targetChars`. */
    readonly maxSummaryChars: number;
  };

/** The `kind` of every {@link ContextStage}. */
export const CONTEXT_STAGES = ["elide_observations", "drop_steps", "summarise"] as const;
