import type { ActionRecord, StepRecord } from "../../mod.ts";
import type { LogRecord } from "../../types/mod.ts";
import type { RunLog } from "../../session/mod.ts";
import type { Decoded } from "./decoded.ts";
import type { Recording } from "./recording.ts";
import type { Script } from "./scripts/script.ts";

const RECORDS = new WeakMap<readonly string[], readonly LogRecord[]>();

/** The records of a log, in order. */
export function recordsOf(lines: readonly string[]): readonly LogRecord[] {
  let records = RECORDS.get(lines);
  if (records === undefined) {
    records = lines.flatMap((line) => (JSON.parse(line) as { records: LogRecord[] }).records);
    RECORDS.set(lines, records);
  }
  return records;
}

/** Whether a replay was counted, or would have been one too many. */
export function isReplayed({ modelAttempts, outcome }: StepRecord): boolean {
  return modelAttempts > 1 || outcome === "model_outcome_unknown";
}

/** Whether a process began with an intent of which nobody can know what became. */
export function isUnsure(
  script: Script,
  { base }: Recording,
  segments: readonly { readonly recording: Recording }[],
): boolean {
  const open = base.log?.open;
  if (base.log?.edits.some(({ type }) => type === "context_edit_failed")) return true;
  const summary = base.log?.openSummary;
  if (summary?.awaits === "reply" && !summary.isWithdrawn && script.modelReplay !== "replayable") {
    return true;
  }
  const actions = [...base.log?.steps ?? [], ...open === undefined ? [] : [open]]
    .flatMap((step) => step.actions);
  if (base.log?.steps.some(({ outcome }) => outcome === "cancelled")) return true;
  if (actions.some(wasSuspended)) return true;
  if (open?.awaits === "reply" && open.withdrawn === undefined) {
    return script.modelReplay !== "replayable";
  }
  if (script.resolver === "truthful") return false;
  const tried = segments.flatMap(({ recording }) => recording.effects)
    .filter(({ kind, attempt }) => kind === "execute" && attempt > 1)
    .map(({ id }) => id);
  return open?.openActions.some(({ actionId, replayPolicy }) =>
    replayPolicy === "never" || !tried.includes(actionId)
  ) ?? false;
}

/** Whether an abort came between an action's intent and its call: it is then recorded as not executed. */
function wasSuspended({ status, attempts, observation }: ActionRecord): boolean {
  return status === "not_executed" && attempts > 0 && observation.startsWith("The action was not");
}

/**
 * How often an action may have been executed, as its intents say.
 *
 * @param beside Whether drivers ran at once: what was resolved as not happened may then have happened since.
 */
export function allowedTimes(lines: readonly string[], id: string, beside: boolean): number {
  const intents = recordsOf(lines).filter((record) =>
    record.type === "action_intent" && record.actionId === id
  );
  let times = 1;
  for (let i = 1; i < intents.length; i++) {
    const [before, intent] = [intents[i - 1]!, intents[i]!];
    if (before.type !== "action_intent" || intent.type !== "action_intent") continue;
    const both = before.replayPolicy === "replayable" && intent.replayPolicy === "replayable";
    if (both || (beside && intent.resolvedBy !== undefined)) times += 1;
  }
  return times;
}

/** An intent that a crash left open must be there as unknown, resolved, or tried again. */
export function openIntentFault(
  base: Decoded,
  log: RunLog,
  lines: readonly string[],
): string | undefined {
  const summary = base.log?.openSummary;
  if (summary?.awaits === "reply" && isForgotten(summary, log, lines)) {
    return `the summary ${summary.callId} is neither made again nor has it failed`;
  }
  const open = base.log?.open;
  if (open?.awaits === "reply" && open.withdrawn === undefined) {
    const outcome = log.steps[open.stepIndex]?.outcome;
    if (isAskedAgain(open, log) || outcome === "model_outcome_unknown" || outcome === "cancelled") {
      return undefined;
    }
    return `the call of step ${open.stepIndex} is ${outcome ?? "absent"}`;
  }
  const faults = open?.openActions.map((action) => openActionFault(action, recordsOf(lines))) ?? [];
  return faults.find((fault) => fault !== undefined);
}

/** Whether of a summary that a crash left open nothing is on record. */
function isForgotten(
  { callId, attempts }: NonNullable<RunLog["openSummary"]>,
  log: RunLog,
  lines: readonly string[],
): boolean {
  const hasFailed = log.edits.some((edit) =>
    edit.type === "context_edit_failed" && edit.callId === callId
  );
  return !hasFailed &&
    !recordsOf(lines).some((record) =>
      record.type === "model_call_intent" && record.callId === callId && record.attempt > attempts
    );
}

/** A call that was withdrawn must be made again, unless a limit ends the run where it stands. */
export function withdrawnCallFault(base: Decoded, log: RunLog): string | undefined {
  const open = base.log?.open;
  if (open?.withdrawn === undefined || isAskedAgain(open, log)) return undefined;
  const isSpent = log.open?.stepIndex === open.stepIndex &&
    log.finished?.stopReason.endsWith("_exhausted");
  return isSpent
    ? undefined
    : `the call of step ${open.stepIndex} was withdrawn and is not made again`;
}

type OpenStep = NonNullable<RunLog["open"]>;

function isAskedAgain({ stepIndex, modelAttempts }: OpenStep, { steps, open }: RunLog): boolean {
  return (steps[stepIndex]?.modelAttempts ?? open?.modelAttempts ?? 0) > modelAttempts;
}

function openActionFault(
  { actionId, attempts }: OpenStep["openActions"][number],
  records: readonly LogRecord[],
): string | undefined {
  const retried = records.some((record) =>
    record.type === "action_intent" && record.actionId === actionId && record.attempt > attempts
  );
  const result = records.find((record) =>
    record.type === "action_result" && record.actionId === actionId
  );
  if (retried) return undefined;
  if (result?.type !== "action_result") return `action ${actionId} is absent`;
  if (result.status === "unknown" || result.resolvedBy !== undefined) return undefined;
  return `action ${actionId} is "${result.status}"`;
}
