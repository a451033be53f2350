import { excerpt, type InvalidDecision, type ModelReply } from "../../types/mod.ts";
import { invalidDecision } from "./invalid_decision.ts";

/** What is written for the model about a reply that nobody can take for whole. */
export interface UnfinishedTexts {
  /** The reply ends before the model was done. `{reason}`: the finish reason. */
  readonly unfinished: string;
  /** Nobody knows what the finish reason means. `{reason}`: the provider's own word for it. */
  readonly unknownFinish: string;
  /** The finish reason claims calls, and there are none. */
  readonly missingCalls: string;
  /** The provider could not read a call. */
  readonly malformedCall: string;
}

/** The texts where none are given. */
export const UNFINISHED_TEXTS: UnfinishedTexts = Object.freeze({
  unfinished:
    "The reply ended too early ({reason}), so nothing was done. Send it again, shorter if it was too long.",
  unknownFinish:
    'The reply ended with the finish reason "{reason}", and nobody knows whether it is whole then, so nothing was ' +
    "done. Send it again. (If it always ends so: the model's option acceptFinishReasons takes that reason for the end.)",
  missingCalls: "The reply announces calls and brings none, so nothing was done.",
  malformedCall:
    "The reply has a tool call that could not be read, so nothing was done. Send it again, as a tool call.",
});

/** A reply that ends before the model was done with it, and why. */
export interface UnfinishedState {
  /** `cut`: what is whole before the cut stands. `withdrawn`: nothing of it does. */
  readonly kind: "cut" | "withdrawn";
  /** The text that says why. */
  readonly text: keyof UnfinishedTexts;
  /** Why it ends there. */
  readonly reason: string;
}

/** How much of a provider's word is shown, in code points. */
const MAX_REASON_CHARS = 100;

/**
 * What is known of a reply that was cut by a limit or a pause, or withdrawn by a filter, a refusal or for a call that
 * nobody could read; or that announces calls and has none, or has none and ends for a reason that nobody knows. Absent:
 * none of these.
 */
export function unfinishedState(reply: ModelReply): UnfinishedState | undefined {
  const { finishReason: reason, rawFinishReason, toolCalls = [] } = reply;
  switch (reason) {
    case "length":
    case "pause":
      return { kind: "cut", text: "unfinished", reason };
    case "content_filter":
    case "refusal":
      return { kind: "withdrawn", text: "unfinished", reason };
    case "malformed":
      return { kind: "withdrawn", text: "malformedCall", reason };
    case "tool_calls":
    case "unknown":
      if (toolCalls.length > 0) return undefined;
      return {
        kind: "cut",
        text: reason === "unknown" ? "unknownFinish" : "missingCalls",
        reason: excerpt(rawFinishReason ?? reason, MAX_REASON_CHARS),
      };
  }
}

/** The decision about such a reply. */
export function unfinishedDecision(
  { text, reason }: UnfinishedState,
  texts: UnfinishedTexts,
): InvalidDecision {
  return invalidDecision(texts[text], { reason });
}
