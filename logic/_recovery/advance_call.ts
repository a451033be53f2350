import {
  callId,
  type ModelCallIntentRecord,
  type ModelCallWithdrawnRecord,
  type ModelReplyRecord,
  type RunSettings,
  totalTokens,
} from "../../types/mod.ts";
import type { BetweenSteps, CalledStep, InStep, OpenStep, Position, Tally } from "./position.ts";

/** The position after the intent of a model call, or why it cannot stand there. */
export function afterCallIntent(
  position: BetweenSteps | InStep,
  intent: ModelCallIntentRecord,
): Position | string {
  const { runId, tally, started, settings } = position;
  const { stepIndex, attempt } = intent;
  const open = position.kind === "in_step" ? position.open : undefined;
  if (intent.callId !== callId(runId, stepIndex)) return `a call has the id "${intent.callId}"`;
  if (attempt !== (open?.attempts ?? 0) + 1) return `a call is attempt ${attempt}`;
  const fault = open && repeatFault(open, intent, settings);
  if (fault !== undefined) return fault;
  const counters = {
    ...tally.counters,
    modelCalls: tally.counters.modelCalls + 1,
    largestPromptChars: Math.max(tally.counters.largestPromptChars, intent.promptChars),
  };
  return {
    kind: "in_step",
    runId,
    tally: { ...tally, counters, chargedCalls: tally.chargedCalls + 1 },
    started,
    settings,
    open: {
      phase: "called",
      stepIndex,
      intent: open?.intent ?? intent,
      attempts: attempt,
      hasLostAttempt: open !== undefined && hasLost(open),
    },
  };
}

/** Whether nobody knows what became of an attempt. */
function hasLost(open: OpenStep): boolean {
  return open.phase === "called" || (open.phase === "withdrawn" && open.hasLostAttempt);
}

/** Why a step's call must not be made again so: one that was withdrawn may be, whatever the replay policy says. */
function repeatFault(
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

/** The position after the withdrawal of a model call, or why it cannot stand there. */
export function afterCallWithdrawn(
  position: InStep,
  withdrawn: ModelCallWithdrawnRecord,
): Position | string {
  const { open, tally } = position;
  const { reason, error, durationMs } = withdrawn;
  if (open.phase !== "called") return "a call is withdrawn that is not open";
  const fault = attemptFault(open, withdrawn);
  if (fault !== undefined) return `the withdrawal is of ${fault}`;
  if (reason === "failed" && error === undefined) return "a call failed without an error";
  const counters = { ...tally.counters, withdrawnCalls: tally.counters.withdrawnCalls + 1 };
  return {
    ...position,
    open: { ...open, phase: "withdrawn", withdrawn },
    tally: {
      ...tally,
      counters,
      chargedCalls: tally.chargedCalls - (reason === "failed" ? 1 : 0),
      activeMs: tally.activeMs + durationMs,
    },
  };
}

/** The position after a model's reply, or why it cannot stand there. */
export function afterReply(position: InStep, record: ModelReplyRecord): Position | string {
  const { reply } = record;
  const { open, tally } = position;
  if (open.phase === "withdrawn") return "a reply stands in the step whose call was withdrawn";
  if (open.phase !== "called") return "a second reply stands in the step";
  const fault = attemptFault(open, record);
  if (fault !== undefined) return `the reply answers ${fault}`;
  const { hasLostAttempt: _, ...call } = open;
  return {
    ...position,
    open: { ...call, phase: "replied", reply },
    tally: tallyAfter(tally, record),
  };
}

function attemptFault(
  open: CalledStep,
  { callId, attempt }: ModelReplyRecord | ModelCallWithdrawnRecord,
): string | undefined {
  if (callId !== open.intent.callId) return `another call, "${callId}"`;
  return attempt === open.attempts ? undefined : `attempt ${attempt}`;
}

function tallyAfter(tally: Tally, { reply }: ModelReplyRecord): Tally {
  const tokens = totalTokens(reply);
  const counters = { ...tally.counters, totalTokens: tally.counters.totalTokens + tokens };
  return { ...tally, counters, hasUnknownUsage: tally.hasUnknownUsage || tokens === 0 };
}
