import {
  excerpt,
  type FinishReason,
  ModelCallError,
  type ModelCallErrorKind,
} from "../../../types/mod.ts";

/** What a provider's word for why a model stopped means. */
export type FinishMeaning =
  | { readonly kind: "reason"; readonly reason: FinishReason }
  /** The server gave up: the call failed. */
  | { readonly kind: "failure"; readonly failure: ModelCallErrorKind };

/**
 * What the letters and digits of a word must be, or hold; the first that matches decides. Only the words that say "I am
 * done", and those that announce tool calls, must match as a whole: whoever says more means something else.
 */
const MEANINGS: readonly (readonly [RegExp, FinishReason])[] = [
  [
    /contentfilter|safety|unsafe|recitation|copyright|sensitive|prohibited|blocklist|spii|moderat|modelarmor|guardrail|policy|violation|jailbreak|toxic|harm|censor|flagged|filtered|blocked/,
    "content_filter",
  ],
  [
    /malformed|(unexpected|invalid|bad|unparsable|toomany)(tool|function)(call|use)|missingthought/,
    "malformed",
  ],
  [
    /length|incomplete|partial|truncated|cutoff|toolong|overflow|contextwindow|context.*(exceed|full)|outputlimit|maxoutput|outoftokens|tokenbudget|(max|limit).*token|token.*(max|limit)/,
    "length",
  ],
  [/refus/, "refusal"],
  [/^pause/, "pause"],
  [/^(tool|function)(call|use)s?$/, "tool_calls"],
  [/^(stop|stopsequence|stoptoken|endturn|endofturn|endofsequence|eos|eostoken)$/, "stop"],
];

const FAILURES: readonly (readonly [RegExp, ModelCallErrorKind])[] = [
  [/timeout|timedout|timelimit|deadline/, "timeout"],
  [/ratelimit|toomanyrequests/, "rate_limit"],
  [/overload|insufficientsystemresource|resourceexhausted|unavailable|capacity/, "overloaded"],
  [
    /error|exception|abort|cancel|fail|crash|kill|terminated|preempt|network|connection|disconnect|interrupt|upstream|badgateway/,
    "server",
  ],
];

/** A word as far as it is told apart: servers differ in case and punctuation, and some put the name of the field first. */
function lettersOf(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/^(finish|stop)reason/, "");
}

/**
 * What a provider's word means by itself; the words are compared without case and punctuation.
 *
 * @param accepted Words that mean `stop`, if they would mean nothing else.
 */
export function finishMeaning(raw: string, accepted: readonly string[] = []): FinishMeaning {
  const word = lettersOf(raw);
  const known = MEANINGS.find(([pattern]) => pattern.test(word));
  if (known !== undefined) return { kind: "reason", reason: known[1] };
  const failed = FAILURES.find(([pattern]) => pattern.test(word));
  if (failed !== undefined) return { kind: "failure", failure: failed[1] };
  const isAccepted = accepted.some((other) =>
    word === "" ? other.trim() === raw.trim() : lettersOf(other) === word
  );
  return { kind: "reason", reason: isAccepted ? "stop" : "unknown" };
}

/** How much of a word an error shows, in code points. */
const MAX_SHOWN_CHARS = 100;

/** From what settles most about a reply to what settles least. */
const BY_WEIGHT: readonly FinishReason[] = [
  "content_filter",
  "malformed",
  "length",
  "refusal",
  "pause",
  "unknown",
  "tool_calls",
  "stop",
];

/** The word that decides, where parts of a reply end with different ones: a part that is cut makes the whole cut. */
export function decidingWord(words: readonly string[], accepted: readonly string[]): string {
  const weight = (word: string) => {
    const meaning = finishMeaning(word, accepted);
    return meaning.kind === "failure" ? -1 : BY_WEIGHT.indexOf(meaning.reason);
  };
  return words.toSorted((a, b) => weight(a) - weight(b))[0] ?? "";
}

/** What some servers write where they say nothing: a missing word as text. */
const NO_WORD = /^(null|none)$/i;

/**
 * The word that counts of two that one part of a reply ended with: the later one, unless it says nothing, or the one
 * before says that the part is not whole. No end that comes later makes it whole.
 */
export function laterWord(before: string, later: string): string {
  if (later === "" || NO_WORD.test(later)) return before;
  return before !== "" && saysLoss(before) ? before : later;
}

/** Whether a word says that what it ends is not whole, or withdrawn. */
export function saysLoss(word: string): boolean {
  const meaning = finishMeaning(word);
  return meaning.kind === "failure" || NEVER_WHOLE.includes(meaning.reason);
}

/** Reasons that no tool call beside the text outweighs: a call may be cut or withdrawn, too. */
const NEVER_WHOLE: readonly FinishReason[] = ["length", "content_filter", "malformed"];

/** What a reply holds beside its text. */
export interface ReplyParts {
  readonly toolCalls: boolean;
  readonly refusal?: boolean;
  /** Whether the server says that it kept some of it back. */
  readonly filtered?: boolean;
  /** Whether it has calls in a form that nobody can read. */
  readonly malformed?: boolean;
}

/**
 * Why the model stopped, in the library's words: a cut, filtered or malformed answer is that, also beside tool calls;
 * else what the reply holds decides. A whole answer that says nothing of it has come to its end.
 *
 * @param raw The provider's own word for it; empty where it said nothing.
 * @throws {ModelCallError} If the word says that the server gave up: some report that as a reason to stop.
 */
export function finishReason(
  raw: string,
  holds: ReplyParts,
  accepted: readonly string[] = [],
): FinishReason {
  const meaning: FinishMeaning = raw === ""
    ? { kind: "reason", reason: "stop" }
    : finishMeaning(raw, accepted);
  if (meaning.kind === "failure") {
    const shown = JSON.stringify(excerpt(raw, MAX_SHOWN_CHARS));
    throw new ModelCallError(`the server gave up: its finish reason is ${shown}`, {
      kind: meaning.failure,
      retriable: true,
    });
  }
  if (holds.filtered) return "content_filter";
  if (holds.malformed) return "malformed";
  const { reason } = meaning;
  if (NEVER_WHOLE.includes(reason)) return reason;
  if (holds.refusal) return "refusal";
  if (reason === "refusal" || reason === "pause" || !holds.toolCalls) return reason;
  return "tool_calls";
}
