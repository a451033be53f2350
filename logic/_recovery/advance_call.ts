import {
  callId,
  type ModelCallIntentRecord,
  type ModelCallWithdrawnRecord,
  type ModelReplyRecord,
  type RunSettings,
  totalTokens,
} from "../../types/mod.ts";
import {
  type BetweenSteps,
  type CalledStep,
  type InStep,
  isTooLong,
  type OpenCall,
  type OpenStep,
  type Position,
  type RepliedStep,
  type ReportedTokens,
  type Tally,
  type WithdrawnStep,
} from "./position.ts";

/** The position after the intent of a step's model call, or why it cannot stand there. */
export function afterCallIntent(
  position: BetweenSteps | InStep,
  intent: ModelCallIntentRecord,
): Position | string {
  const { runId, tally, started, settings, pass } = position;
  const open = position.kind === "in_step" ? position.open : undefined;
  if (pass?.summary !== undefined) return "a call stands where steps are being summed up";
  const call = calledAfter(open, intent, callId(runId, intent.stepIndex));
  if (typeof call === "string") return call;
  const fault = position.kind === "in_step" ? repeatFault(position, intent) : undefined;
  if (fault !== undefined) return fault;
  const after = { ...intended(tally, intent), ...failureAfter(tally, intent) };
  const isShortened = call.isShortened || (open !== undefined && pass !== undefined);
  return {
    kind: "in_step",
    runId,
    tally: after,
    started,
    settings,
    open: { ...call, isShortened },
  };
}

/** A call after one more intent, or what is wrong with the intent. */
export function calledAfter(
  before: OpenStep | undefined,
  intent: ModelCallIntentRecord,
  expectedId: string,
): CalledStep | string {
  const { stepIndex, attempt, callId, at } = intent;
  if (callId !== expectedId) return `a call has the id "${callId}"`;
  if (attempt !== (before?.attempts ?? 0) + 1) return `a call is attempt ${attempt}`;
  return {
    phase: "called",
    stepIndex,
    intent,
    startedAt: before?.startedAt ?? at,
    attempts: attempt,
    isShortened: before?.isShortened ?? false,
    hasLostAttempt: before !== undefined && hasLost(before),
  };
}

/** What a run has come to with one more intent of a call. */
export function intended(tally: Tally, { promptChars }: ModelCallIntentRecord): Tally {
  const { counters } = tally;
  return {
    ...tally,
    counters: {
      ...counters,
      modelCalls: counters.modelCalls + 1,
      largestPromptChars: Math.max(counters.largestPromptChars, promptChars),
    },
    chargedCalls: tally.chargedCalls + 1,
  };
}

/** Of the last summary that failed: how large the first prompt is that was sent since. */
function failureAfter(
  { failedSummaryChars }: Tally,
  { promptChars }: ModelCallIntentRecord,
): Pick<Tally, "failedSummaryChars"> {
  return failedSummaryChars === 0 ? { failedSummaryChars: promptChars } : {};
}

/** Whether nobody knows what became of an attempt. */
function hasLost(open: OpenStep): boolean {
  return open.phase === "called" || (open.phase === "withdrawn" && open.hasLostAttempt);
}

/** Why a step's call must not be made again so: its prompt is another one only where the first was too long. */
function repeatFault(position: InStep, intent: ModelCallIntentRecord): string | undefined {
  const { open, pass, settings } = position;
  if (pass === undefined) {
    return isTooLong(position)
      ? "a call is repeated whose prompt was too long"
      : againFault(open, intent, settings);
  }
  return pass.beforeChars === undefined
    ? "a call is repeated whose prompt was not edited"
    : undefined;
}

/** Why a call must not be made again so: one that was withdrawn may be, whatever the replay policy says. */
export function againFault(
  open: OpenStep,
  intent: ModelCallIntentRecord,
  { modelReplayPolicy }: RunSettings,
): string | undefined {
  if (open.phase !== "called" && open.phase !== "withdrawn") {
    return "a call intent follows the reply";
  }
  if (open.phase === "called" && modelReplayPolicy !== "replayable") {
    return "a call is replayed that must not be";
  }
  return hasSamePrompt(intent, open.intent) ? undefined : "a repeated call has another prompt";
}

function hasSamePrompt(a: ModelCallIntentRecord, b: ModelCallIntentRecord): boolean {
  return a.promptDigest === b.promptDigest && a.promptChars === b.promptChars &&
    a.promptMessages === b.promptMessages;
}

/** The position after the withdrawal of a step's model call, or why it cannot stand there. */
export function afterCallWithdrawn(
  position: InStep,
  withdrawn: ModelCallWithdrawnRecord,
): Position | string {
  const open = withdrawnAfter(position.open, withdrawn);
  if (typeof open === "string") return open;
  return { ...position, open, tally: tallyWithdrawn(position.tally, withdrawn) };
}

/** A call that was given up at its last attempt, or why it cannot be. */
export function withdrawnAfter(
  call: OpenStep,
  withdrawn: ModelCallWithdrawnRecord,
): WithdrawnStep | string {
  const { reason, error } = withdrawn;
  if (call.phase !== "called") return "a call is withdrawn that is not open";
  const fault = attemptFault(call, withdrawn);
  if (fault !== undefined) return `the withdrawal is of ${fault}`;
  if (reason === "failed" && error === undefined) return "a call failed without an error";
  return { ...call, phase: "withdrawn", withdrawn };
}

/** What a run has come to with a call that was withdrawn. */
export function tallyWithdrawn(
  tally: Tally,
  { reason, durationMs }: ModelCallWithdrawnRecord,
): Tally {
  const { counters, chargedCalls, activeMs } = tally;
  return {
    ...tally,
    counters: { ...counters, withdrawnCalls: counters.withdrawnCalls + 1 },
    chargedCalls: chargedCalls - (reason === "failed" ? 1 : 0),
    activeMs: activeMs + durationMs,
  };
}

/** The position after the reply of a step's model call, or why it cannot stand there. */
export function afterReply(position: InStep, record: ModelReplyRecord): Position | string {
  const open = repliedAfter(position.open, record);
  if (typeof open === "string") return open;
  const { inputTokens: before } = position.tally;
  const inputTokens = reportedAfter(before, record, open.intent.promptChars);
  const tally = tallyReplied(position.tally, record);
  return {
    ...position,
    open,
    tally: inputTokens === undefined ? tally : { ...tally, inputTokens },
  };
}

/** A call with its reply, or why it cannot have it. */
export function repliedAfter(
  call: OpenStep | OpenCall,
  record: ModelReplyRecord,
): RepliedStep | string {
  if (call.phase === "withdrawn") return "a reply stands in the step whose call was withdrawn";
  if (call.phase !== "called") return "a second reply stands in the step";
  const fault = attemptFault(call, record);
  if (fault !== undefined) return `the reply answers ${fault}`;
  const { hasLostAttempt: _, ...replied } = call;
  return { ...replied, phase: "replied", reply: record.reply };
}

function attemptFault(
  open: CalledStep,
  { callId, attempt }: ModelReplyRecord | ModelCallWithdrawnRecord,
): string | undefined {
  if (callId !== open.intent.callId) return `another call, "${callId}"`;
  return attempt === open.attempts ? undefined : `attempt ${attempt}`;
}

/** What a run has come to with one more reply. */
export function tallyReplied(tally: Tally, { reply }: ModelReplyRecord): Tally {
  const tokens = totalTokens(reply);
  const counters = { ...tally.counters, totalTokens: tally.counters.totalTokens + tokens };
  return { ...tally, counters, hasUnknownUsage: tally.hasUnknownUsage || tokens === 0 };
}

function reportedAfter(
  before: ReportedTokens | undefined,
  { reply }: ModelReplyRecord,
  promptChars: number,
): ReportedTokens | undefined {
  const last = reply.usage?.inputTokens ?? 0;
  if (last === 0) return before;
  const { sum = 0, sumChars = 0 } = before ?? {};
  return { last, lastChars: promptChars, sum: sum + last, sumChars: sumChars + promptChars };
}
