import type { ModelCallErrorKind } from "./model_call_error_kind.ts";

/** An error as a record keeps it. */
export interface ErrorInfo {
  /** The error's name, such as `TypeError`. */
  readonly name: string;
  /** Its message. */
  readonly message: string;
  /**
   * Where it was thrown: the first 2,000 code points of its stack. It is for who reads the log, and in no prompt.
   * Absent: it was not thrown by a tool, an interpreter or a callback, or stacks are not recorded.
   */
  readonly stack?: string;
  /** What kind of failure a model call met. Absent: it was none, or its adapter did not say. */
  readonly kind?: ModelCallErrorKind;
  /** Whether the same call of the model may be made again. Absent: it was none, or its adapter did not say. */
  readonly retriable?: boolean;
  /** The attempts before the one that this error ended. Absent: there were none. */
  readonly retries?: readonly ModelRetry[];
}

/** An attempt at a model call that failed and was followed by another. */
export interface ModelRetry {
  /** Why it failed. */
  readonly error: ErrorInfo;
  /** How long the next attempt was put off, in milliseconds. */
  readonly waitedMs: number;
}
