import {
  emptyMeasure,
  type HistoryStyle,
  type ObservationTemplate,
  parseTemplate,
  PromptAssembly,
} from "../../logic/_assembly/mod.ts";
import {
  readSettings,
  RunLogCorruptError,
  type RunStartedRecord,
  type ToolSchema,
  toolsSize,
} from "../../types/mod.ts";

/** The tools that went along with each call. */
export function sentTools(started: RunStartedRecord): readonly ToolSchema[] {
  const { tools = [] } = started.inputs ?? {};
  return historyStyleOf(started).protocol === "native" ? tools : [];
}

/** The prompt assembly of a recorded run; nothing if its inputs were not recorded. */
export function assemblyOfLog(started: RunStartedRecord): PromptAssembly | undefined {
  const { inputs } = started;
  if (inputs === undefined) return undefined;
  const { context, injections } = inputs;
  const style = historyStyleOf(started);
  const isEditable = readSettings(started.parameters).contextPolicy !== undefined;
  const before = emptyMeasure(toolsSize(sentTools(started)));
  return new PromptAssembly({ context, injections, isEditable, ...style }, before);
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
