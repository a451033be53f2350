import { entryIds, type PromptAssembly, type PromptMeasure } from "../../logic/_assembly/mod.ts";
import type { Tally } from "../../logic/_recovery/mod.ts";
import { stopDecision } from "../../logic/_stopping/mod.ts";
import {
  type Budget,
  isSameJson,
  type LogCheck,
  type LogRecord,
  type ModelCallIntentRecord,
  type RunFinishedRecord,
  type RunSettings,
  type RunStartedRecord,
} from "../../types/mod.ts";
import {
  callFault,
  editFailureFault,
  editFault,
  failureFault,
  isBeforeCall,
  overflowFault,
} from "./edit_fault.ts";
import type { RecordPlace } from "./fold_log.ts";
import { stepFault } from "./step_fault.ts";

/** What a log says before its steps, and the prompt as far as it was laid out. */
export interface LogFacts {
  readonly started: RunStartedRecord;
  readonly settings: RunSettings;
  readonly budget: Budget;
  /** The prompt at the record. Absent: it is not known before the first call. */
  readonly prompt: PromptMeasure | undefined;
  /** The prompt itself. Absent: the run has no policy to edit it, or it is not known yet. */
  readonly edited: PromptAssembly | undefined;
  /** The ids of the actions that their executor gave up, and of the summary that the run was cancelled in. */
  readonly givenUp: readonly string[];
}

/** What is wrong with a record, and the check that it does not pass. */
export interface RecordFault {
  readonly check: LogCheck;
  readonly reason: string;
}

/** Why a record that may stand where it does is not what the kernel would have written there. */
export function recordFault(
  record: LogRecord,
  { before, ended }: RecordPlace,
  log: LogFacts,
): RecordFault | undefined {
  const { tally } = before;
  const { edited } = log;
  const editing = edited !== undefined && isBeforeCall(before) ? { before, edited } : undefined;
  switch (record.type) {
    case "context_edit":
      return editing && failing("prompts", editFault(record, editing.before, editing.edited));
    case "context_edit_failed":
      return editing && failing(
        "prompts",
        editFailureFault(record, editing.before, editing.edited, log.budget),
      );
    case "run_started":
      return failing(
        "inputs",
        inputsFault(record, log.settings) ?? originFault(record, log.settings),
      );
    case "model_call_intent":
      return failing("stop_decisions", passedOverFault(record, tally, log)) ??
        failing("prompts", editing && callFault(record, editing.before, editing.edited)) ??
        failing("prompts", firstPromptFault(record, tally, log));
    case "run_finished":
      return finishFault(record, tally, log) ??
        failing("prompts", editing && overflowFault(record, editing.before, editing.edited));
    default:
      if (ended === undefined) return undefined;
      return failing("step_words", stepFault(ended, log.settings)) ??
        failing("prompts", editing && failureFault(ended, editing.before, editing.edited));
  }
}

function failing(check: LogCheck, reason: string | undefined): RecordFault | undefined {
  return reason === undefined ? undefined : { check, reason };
}

/** The parameters name the injections and the tools that the inputs hold. */
function inputsFault(
  { inputs }: RunStartedRecord,
  { tools, injectedEntryIds }: RunSettings,
): string | undefined {
  if (inputs === undefined) return undefined;
  const named = [tools ?? null, injectedEntryIds];
  const held = [inputs.tools?.map(({ name }) => name) ?? null, entryIds(inputs.injections)];
  return isSameJson(named, held)
    ? undefined
    : "its parameters name other injections or tools than its inputs hold";
}

/** The parameters name the origin that the record does. */
function originFault(
  { derivedFrom }: RunStartedRecord,
  settings: RunSettings,
): string | undefined {
  return isSameJson({ ...derivedFrom }, { ...settings.derivedFrom })
    ? undefined
    : "its parameters name another origin than it does itself";
}

/** A call stands where no stop condition holds. */
function passedOverFault(
  { promptChars, purpose }: ModelCallIntentRecord,
  tally: Tally,
  { budget, settings: { onUnknownUsage } }: LogFacts,
): string | undefined {
  if (purpose !== undefined && tally.chargedCalls + 2 > budget.maxModelCalls) {
    return "steps are summed up though no call is left for the step";
  }
  const passedOver = stopDecision({ budget, onUnknownUsage, tally, aborted: false, promptChars });
  return passedOver === undefined
    ? undefined
    : `a model is called in spite of ${passedOver.conditions.join(", ")}`;
}

/** The first call's prompt is the context. */
function firstPromptFault(
  { promptDigest }: ModelCallIntentRecord,
  { last }: Tally,
  { started: { contextDigest } }: LogFacts,
): string | undefined {
  return last === undefined && promptDigest !== contextDigest
    ? "the first prompt has not the context digest"
    : undefined;
}

/** The run ends for the reasons that its log gives, and with nothing that its log does not. */
function finishFault(
  record: RunFinishedRecord,
  tally: Tally,
  { budget, settings: { onUnknownUsage }, prompt, givenUp }: LogFacts,
): RecordFault | undefined {
  const { stopReason, promptChars = 0 } = record;
  const aborted = stopReason === "cancelled";
  const stop = stopDecision({ budget, onUnknownUsage, tally, aborted, promptChars });
  const expected: readonly string[] = stop?.conditions ?? [];
  if (!isSameJson(record.stopConditions, expected)) {
    const given = expected.join(", ") || "no reason";
    const reason = `the run must not end for ${
      record.stopConditions.join(", ")
    }: its log gives ${given}`;
    return { check: "stop_decisions", reason };
  }
  const overflow = expected.includes("context_overflow")
    ? prompt?.promptChars ?? record.promptChars
    : undefined;
  if (record.promptChars !== overflow) {
    return { check: "finish", reason: "it names another size of the last prompt" };
  }
  const mayRun = new Set([...givenUp, ...unknownIds(tally)]);
  const wrong = record.abandoned.filter((id) => !mayRun.delete(id));
  if (wrong.length > 0) {
    return { check: "finish", reason: `${wrong.join(", ")} cannot have been given up` };
  }
  return failing("finish", answerFault(record, tally));
}

/** The ids of what a cancelled step left unknown: its call, or actions. */
function unknownIds({ last }: Tally): readonly string[] {
  if (last?.outcome !== "cancelled") return [];
  if (last.reply === undefined) return [last.modelCallId];
  return last.actions.filter(({ status }) => status === "unknown").map(({ actionId }) => actionId);
}

function answerFault(
  { answer, stopConditions }: RunFinishedRecord,
  { last }: Tally,
): string | undefined {
  const decision = stopConditions.includes("final_answer") ? last?.decision : undefined;
  const expected = decision?.kind === "final_answer" ? decision.answer : undefined;
  if (expected === undefined || answer === undefined) {
    return expected === answer ? undefined : "its answer is not that of a final answer";
  }
  return isSameJson(expected, answer) ? undefined : "its answer is not the decision's";
}
