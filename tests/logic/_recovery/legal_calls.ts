import { digest, type LogRecord, type ReplayPolicy } from "../../../types/mod.ts";

/** What a log waits for where it ends. */
export type Awaits =
  | "step"
  | "reply"
  | "call"
  | "decision"
  | "action"
  | "end"
  | "nothing"
  | { readonly outcomeOf: ReplayPolicy };

/** A record, and what a log that ends with it waits for. */
export interface Placed {
  readonly record: LogRecord;
  readonly awaits: Awaits;
}

/** The run of every legal log. */
export const RUN_ID = "r";
/** When anything happens. */
export const AT = "2026-01-01T00:00:00.000Z";
/** The size of the prompt of step 0; it grows by one with each step. */
export const PROMPT_CHARS = 7;

/** What became of an attempt at a model call that is not the last: it was lost in a crash, or it was withdrawn. */
export type Given = "lost" | "suspended" | "failed";

/** The attempts of a call, in order, that came to nothing; one more follows them. */
export type Attempts = readonly Given[];

/** The intents of a call, and the withdrawals. */
export function calls(stepIndex: number, attempts: Attempts): Placed[] {
  const before = attempts.flatMap((given, i) => {
    const intent = call(stepIndex, i + 1);
    return given === "lost" ? [intent] : [intent, withdrawal(stepIndex, i + 1, given)];
  });
  return [...before, call(stepIndex, attempts.length + 1)];
}

/** The intent of an attempt. */
export function call(stepIndex: number, attempt: number): Placed {
  const record = {
    type: "model_call_intent",
    stepIndex,
    callId: `${RUN_ID}/s${stepIndex}`,
    attempt,
    promptDigest: digest(`prompt ${stepIndex}`),
    promptChars: PROMPT_CHARS + stepIndex,
    promptMessages: stepIndex + 1,
    at: AT,
  } as const;
  return { record, awaits: "reply" };
}

/** The withdrawal of an attempt. */
export function withdrawal(
  stepIndex: number,
  attempt: number,
  reason: "suspended" | "failed",
): Placed {
  const callId = `${RUN_ID}/s${stepIndex}`;
  const error = reason === "failed" ? { error: { name: "E", message: "m" } } : {};
  const which = { type: "model_call_withdrawn", stepIndex, callId, attempt } as const;
  return { record: { ...which, reason, ...error, durationMs: 1, at: AT }, awaits: "call" };
}
