import type { ContextStage } from "../types/mod.ts";
import type { EventBase } from "./event_base.ts";

/**
 * The part of a prompt that a message belongs to.
 *
 * - `run_level`: what many runs share.
 * - `injection`: what is pasted in by channel.
 * - `goal_level`: what this run is for.
 * - `history`: what the model said, and what it was shown for it.
 */
export type PromptSegment = (typeof PROMPT_SEGMENTS)[number];

/** Every {@link PromptSegment}, in the order of a prompt. */
export const PROMPT_SEGMENTS = ["run_level", "injection", "goal_level", "history"] as const;

/** Something about a message that its writer may not have meant. */
export type MessageWarning = "empty_content" | "whitespace_only" | "cr_present";

/** One message of a prompt, as a receipt lists it: everything but its text. */
export interface ReceiptMessage {
  /** The part of the prompt. */
  readonly segment: PromptSegment;
  /**
   * Where it comes from: `run[0]`, `injection:<channel>/<entryId>#0`, `goal[1]`, `step:4/assistant`,
   * `step:4/observation`; `steps:0-3/notice` for what stands for steps.
   */
  readonly source: string;
  /** The source that its provenance names. Absent: it has none. */
  readonly origin?: string;
  /** The version that its provenance names. Absent: it has none. */
  readonly version?: string;
  /** The trust that its provenance names. Absent: it names none. */
  readonly trust?: string;
  /** Its size in code points. */
  readonly size: number;
  /** The rolling digest up to and with it. */
  readonly chain: string;
  /** The stage of the context policy that made it stand for something else. Absent: it is as it was recorded. */
  readonly editedBy?: ContextStage["kind"];
  /** The size of what it stands for. Absent: it is as it was recorded. */
  readonly originalSize?: number;
  /** How many code points were cut from it when the context was built. Absent: none, or nobody says. */
  readonly cutChars?: number;
  /** What its writer may not have meant; empty if nothing. */
  readonly warnings: readonly MessageWarning[];
}

/** The receipt of a prompt, before it is asked whether it fits. It holds no text. */
export interface PromptAssembledEvent extends EventBase {
  /** Tells the event's kind. */
  readonly type: "prompt_assembled";
  /** The step that it is for, from 0. */
  readonly stepIndex: number;
  /** The messages that are new since the call before (on a resume: since the last recorded call). */
  readonly newMessages: readonly ReceiptMessage[];
  /** How many messages the call before had already. */
  readonly sharedMessages: number;
  /** Their size in code points. */
  readonly sharedChars: number;
  /** The size of the tools that go along with the prompt by the native protocol; 0 if none do. */
  readonly toolsChars: number;
  /** The size of each segment of the whole prompt, the tools left out. */
  readonly totals: Readonly<Record<PromptSegment, number>>;
  /** The whole prompt's number of messages. */
  readonly promptMessages: number;
  /** The whole prompt's size in code points, the tools with it. */
  readonly promptChars: number;
  /** The rolling digest over all its messages. */
  readonly promptDigest: string;
  /** The budget's `maxPromptChars`. */
  readonly limit: number;
  /** Whether it may be sent. */
  readonly verdict: "fits" | "context_overflow";
  /** By how much it is too large; 0 if it fits. */
  readonly excess: number;
}
