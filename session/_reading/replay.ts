import type { PromptAssembly, PromptMeasure } from "../../logic/_assembly/mod.ts";
import {
  advance,
  parameterDrifts,
  type Position,
  startPosition,
} from "../../logic/_recovery/mod.ts";
import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import {
  type LogRecord,
  type ModelCallIntentRecord,
  type ParameterDrift,
  ParameterDriftError,
  RunLogCorruptError,
  type StepRecord,
} from "../../types/mod.ts";
import type { OnRecord } from "../_live/live_run.ts";

/** Refuses to go on with other settings, or other contents, than the run started with. */
export function refuseDrift(
  runId: string,
  entries: readonly DecodedEntry[],
  parameters: Readonly<Record<string, string>>,
  contextDigest: string,
): void {
  const started = entries[0]?.records[0];
  if (started?.type !== "run_started") {
    throw new RunLogCorruptError(runId, 0, "grammar", "it does not begin with the started record");
  }
  const drifts: ParameterDrift[] = [...parameterDrifts(started.parameters, parameters)];
  if (started.contextDigest !== contextDigest) {
    const recorded = started.contextDigest;
    drifts.push({ key: "request.context", kind: "changed", recorded, current: contextDigest });
  }
  if (drifts.length > 0) throw new ParameterDriftError(runId, drifts);
}

/** Folds a log, and has the assembly lay out again what each recorded call was sent. */
export function replayLog(
  runId: string,
  entries: readonly DecodedEntry[],
  assembly: PromptAssembly,
): OnRecord {
  const steps: StepRecord[] = [];
  const position = foldLog(runId, entries, (record, { seq, after }) => {
    if (record.type === "model_call_intent") {
      checkPrompt(runId, seq, record, assembly.measure());
      assembly.markSent();
    } else if (record.type === "step") {
      steps.push(after.last!);
      assembly.addStep(after.last!);
    }
  });
  return {
    assembly,
    steps,
    position,
    entries: entries.length,
    head: entries.at(-1)!.hash,
  };
}

/** Where a record stands in a log. */
export interface RecordPlace {
  readonly seq: number;
  readonly before: Position;
  readonly after: Position;
}

/** Where a log ends, having shown each record. Throws a {@link RunLogCorruptError} where it breaks the grammar. */
export function foldLog(
  runId: string,
  entries: readonly DecodedEntry[],
  visit: (record: LogRecord, place: RecordPlace) => void,
): Position {
  let position = startPosition(runId);
  for (const { seq, records } of entries) {
    for (const record of records) {
      const before = position;
      position = advance(before, record, seq);
      visit(record, { seq, before, after: position });
    }
  }
  return position;
}

/** Refuses a recorded call whose prompt is not the one that the log gives. */
export function checkPrompt(
  runId: string,
  seq: number,
  intent: ModelCallIntentRecord,
  { promptDigest, promptChars, promptMessages }: PromptMeasure,
): void {
  if (
    intent.promptDigest !== promptDigest || intent.promptChars !== promptChars ||
    intent.promptMessages !== promptMessages
  ) {
    throw new RunLogCorruptError(
      runId,
      seq,
      "prompts",
      "the steps before it do not give the prompt that it names",
    );
  }
}
