import {
  callId,
  type LogRecord,
  type ModelCallIntentRecord,
  type ModelReplyRecord,
  readSettings,
  type RunFinishedRecord,
  RunLogCorruptError,
  type RunStartedRecord,
} from "../../types/mod.ts";
import { afterActionIntent, afterActionResult } from "./advance_action.ts";
import { afterDecision, afterStepEnd } from "./advance_step.ts";
import type { BetweenSteps, InStep, Position } from "./position.ts";

/**
 * The position after one more record. This is the grammar of a log:
 * `started step* open? finished?`, a step being `call+ ( S | reply S | reply decision (intent* result)* S )`.
 *
 * @param seq The entry that the record stands in, for the error.
 * @throws {RunLogCorruptError} If the record cannot stand here.
 */
export function advance(position: Position, record: LogRecord, seq: number): Position {
  const after = positionAfter(position, record);
  if (typeof after === "string") {
    throw new RunLogCorruptError(position.runId, seq, "grammar", after);
  }
  return after;
}

/** The position after a record, or why it cannot stand here: so it is with each kind of record. */
function positionAfter(position: Position, record: LogRecord): Position | string {
  if (position.kind === "finished") {
    return `a "${record.type}" record follows the finished record`;
  }
  if (record.type === "run_started") return afterStarted(position, record);
  if (position.kind === "unstarted") {
    return `a "${record.type}" record stands before the started record`;
  }
  if (record.type === "run_finished") return afterFinished(position, record);
  const { steps } = position.tally.counters;
  if (record.stepIndex !== steps) {
    return `a "${record.type}" record of step ${record.stepIndex} stands where step ${steps} is`;
  }
  if (record.type === "model_call_intent") return afterCallIntent(position, record);
  if (position.kind === "between_steps") return `a "${record.type}" record stands outside a step`;
  switch (record.type) {
    case "model_reply":
      return afterReply(position, record);
    case "decision":
      return afterDecision(position, record);
    case "action_intent":
      return afterActionIntent(position, record);
    case "action_result":
      return afterActionResult(position, record);
    case "step":
      return afterStepEnd(position, record);
  }
}

function afterStarted(position: Position, started: RunStartedRecord): Position | string {
  if (position.kind !== "unstarted") return "a second started record stands in it";
  const { runId, tally } = position;
  if (started.runId !== runId) return `it belongs to run "${started.runId}"`;
  const settings = readSettings(started.parameters);
  return { kind: "between_steps", runId, tally, started, settings };
}

function afterFinished(
  position: BetweenSteps | InStep,
  finished: RunFinishedRecord,
): Position | string {
  if (position.kind === "in_step") return "the run finishes inside a step";
  if (finished.stopReason !== finished.stopConditions[0]) {
    return "the stop reason is not its first condition";
  }
  const { counters } = position.tally;
  const same = finished.counters.steps === counters.steps &&
    finished.counters.modelCalls === counters.modelCalls &&
    finished.counters.totalTokens === counters.totalTokens &&
    finished.counters.largestPromptChars === counters.largestPromptChars;
  if (!same) return "its counters are not those of its records";
  const { runId, tally, started, settings } = position;
  return { kind: "finished", runId, tally, started, settings, finished };
}

function afterCallIntent(
  position: BetweenSteps | InStep,
  intent: ModelCallIntentRecord,
): Position | string {
  const { runId, tally, started, settings } = position;
  const { stepIndex, attempt } = intent;
  const open = position.kind === "in_step" ? position.open : undefined;
  if (intent.callId !== callId(runId, stepIndex)) return `a call has the id "${intent.callId}"`;
  if (attempt !== (open?.attempts ?? 0) + 1) return `a call is attempt ${attempt}`;
  if (open !== undefined) {
    if (open.phase !== "called") return "a call intent follows the reply";
    if (settings.modelReplayPolicy !== "replayable") {
      return "a call is replayed that must not be";
    }
    if (!hasSamePrompt(intent, open.intent)) return "a replayed call has another prompt";
  }
  const counters = {
    ...tally.counters,
    modelCalls: tally.counters.modelCalls + 1,
    largestPromptChars: Math.max(tally.counters.largestPromptChars, intent.promptChars),
  };
  return {
    kind: "in_step",
    runId,
    tally: { ...tally, counters },
    started,
    settings,
    open: { phase: "called", stepIndex, intent: open?.intent ?? intent, attempts: attempt },
  };
}

function hasSamePrompt(a: ModelCallIntentRecord, b: ModelCallIntentRecord): boolean {
  return a.promptDigest === b.promptDigest && a.promptChars === b.promptChars &&
    a.promptMessages === b.promptMessages;
}

function afterReply(position: InStep, record: ModelReplyRecord): Position | string {
  const { callId, attempt, reply } = record;
  const { open, tally } = position;
  if (open.phase !== "called") return "a second reply stands in the step";
  if (callId !== open.intent.callId) return `the reply answers another call, "${callId}"`;
  if (attempt !== open.attempts) return `the reply answers attempt ${attempt}`;
  const tokens = (reply.usage?.inputTokens ?? 0) + (reply.usage?.outputTokens ?? 0);
  const counters = { ...tally.counters, totalTokens: tally.counters.totalTokens + tokens };
  return { ...position, open: { ...open, phase: "replied", reply }, tally: { ...tally, counters } };
}
