import {
  type HistoryStyle,
  type ObservationTemplate,
  parseTemplate,
  PromptAssembly,
} from "../logic/_assembly/mod.ts";
import {
  InvalidRequestError,
  type Message,
  readSettings,
  requireCount,
  RunLogCorruptError,
  type RunStartedRecord,
} from "../types/mod.ts";
import { requireLog, type RunLog } from "./read_log.ts";

/**
 * What the model saw: the prompt of a recorded call, laid out again from the log alone and checked against the digest
 * that was recorded before the call.
 *
 * @param log A log that {@link readLog} read.
 * @param callIndex Which call, from 0, in the order of the model-call intents; a replay counts as a call of its own.
 * @throws {InvalidRequestError} If it is no such log, has no such call, or was recorded with `recordInputs: false`.
 * @throws {RunLogCorruptError} If the log does not give the prompt that it names.
 */
export function rebuildPrompt(log: RunLog, callIndex: number): readonly Message[] {
  requireLog(log);
  requireCount("callIndex", callIndex);
  const assembly = assemblyOfLog(log.started);
  if (assembly === undefined) {
    throw new InvalidRequestError("log", log.runId, "it was recorded without its inputs");
  }
  const seq = log.callEntries[callIndex];
  if (seq === undefined) {
    const calls = log.callEntries.length;
    throw new InvalidRequestError("callIndex", callIndex, `the log has ${calls} model calls`);
  }
  const before = stepsBefore(log, callIndex);
  for (const step of log.steps.slice(0, before)) assembly.addStep(step);
  const { promptDigest } = assembly.measure();
  if ((log.steps[before] ?? log.open)?.promptDigest !== promptDigest) {
    throw new RunLogCorruptError(
      log.runId,
      seq,
      "prompts",
      "the steps before it do not give the prompt that it names",
    );
  }
  return assembly.messages();
}

/** The prompt assembly of a recorded run; nothing if its inputs were not recorded. */
export function assemblyOfLog(started: RunStartedRecord): PromptAssembly | undefined {
  const { inputs } = started;
  if (inputs === undefined) return undefined;
  const { context, injections } = inputs;
  return new PromptAssembly({ context, injections, ...historyStyleOf(started) });
}

/** How a recorded run's history is written. Throws a {@link RunLogCorruptError} where its parameters do not say. */
export function historyStyleOf(
  { runId, parameters, derivedFrom }: RunStartedRecord,
): HistoryStyle {
  const { toolProtocol, observationTemplate = "" } = readSettings(parameters);
  return {
    protocol: toolProtocol,
    template: templateOf(runId, observationTemplate),
    historySteps: derivedFrom?.historySteps ?? 0,
  };
}

function templateOf(runId: string, template: string): ObservationTemplate {
  try {
    return parseTemplate(template);
  } catch (cause) {
    throw new RunLogCorruptError(runId, 0, "inputs", "no prompt can be made of its inputs", {
      cause,
    });
  }
}

function stepsBefore(log: RunLog, callIndex: number): number {
  let calls = 0;
  for (const [i, step] of log.steps.entries()) {
    calls += step.modelAttempts;
    if (callIndex < calls) return i;
  }
  return log.steps.length;
}
