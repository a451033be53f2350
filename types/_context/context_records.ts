import type { ErrorInfo } from "../_errors/error_info.ts";
import type { ContextStage } from "./context_policy.ts";

/** A text that stands in the prompt for something of history. */
export interface ContextReplacement {
  /** The step that it stands in, or the first of those that it stands for, from 0. */
  readonly step: number;
  /** The action whose result it stands for. Absent: it stands for whole steps. */
  readonly ordinal?: number;
  /** The text, as the model sees it but for the observation template. */
  readonly text: string;
}

/** Says how the prompt of a step, and of all that follow, is another view of history than those before. */
export interface ContextEditRecord {
  /** Tells the record's kind. */
  readonly type: "context_edit";
  /** The step whose prompt it changes first, from 0. */
  readonly stepIndex: number;
  /** Which edit of the run it is, from 0. */
  readonly edit: number;
  /** What was done. */
  readonly stage: ContextStage["kind"];
  /** The first and the last step that it changed. */
  readonly steps: readonly [from: number, to: number];
  /** The whole prompt's size before, in code points. */
  readonly beforeChars: number;
  /** The whole prompt's size after. */
  readonly afterChars: number;
  /** What stands in the prompt instead, in order. */
  readonly replacements: readonly ContextReplacement[];
}

/**
 * Why steps were not summed up.
 *
 * - `too_few_calls`: the budget had fewer than two model calls left.
 * - `prompt_too_large`: what was to be summed up fits no prompt.
 * - `call_failed`: the model call failed.
 * - `unknown`: an interruption lost the reply.
 * - `cancelled`: the run was cancelled.
 * - `unusable_reply`: the reply was cut or filtered, or asks for actions.
 * - `empty`: the summary is blank.
 * - `too_long`: it is longer than `maxSummaryChars`.
 * - `not_smaller`: it would not make the prompt smaller, or by less than `minReclaimChars`.
 */
export type SummaryFailure = (typeof SUMMARY_FAILURES)[number];

/** Every {@link SummaryFailure}. */
export const SUMMARY_FAILURES = [
  "too_few_calls",
  "prompt_too_large",
  "call_failed",
  "unknown",
  "cancelled",
  "unusable_reply",
  "empty",
  "too_long",
  "not_smaller",
] as const;

/** Says that steps were to be summed up and are not: the next stage goes on. */
export interface ContextEditFailedRecord {
  /** Tells the record's kind. */
  readonly type: "context_edit_failed";
  /** The step whose prompt was to be changed, from 0. */
  readonly stepIndex: number;
  /** The one stage that can fail. */
  readonly stage: "summarise";
  /** Why. */
  readonly reason: SummaryFailure;
  /** The model call. Absent: none was made. */
  readonly callId?: string;
  /** What the call threw. Absent: it failed in another way. */
  readonly error?: ErrorInfo;
}
