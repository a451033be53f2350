import type { PromptAssembly } from "../../logic/_assembly/mod.ts";
import { startPosition } from "../../logic/_recovery/mod.ts";
import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import { digest, type StepRecord } from "../../types/mod.ts";
import type { OnRecord } from "../_live/live_run.ts";
import { applyRecorded } from "../_reading/apply_recorded.ts";
import { checkPrompt } from "../_reading/check_prompt.ts";
import { foldEntry, type VisitRecord } from "../_reading/fold_log.ts";

/**
 * Folds a log, and has the assembly lay out again what each recorded call of a step was sent, with the edits that are on
 * record. No entry is kept: a long log does not stand in memory beside the steps that it gives.
 */
export function replayLog(
  runId: string,
  log: Iterable<DecodedEntry>,
  assembly: PromptAssembly,
): OnRecord {
  const steps: StepRecord[] = [];
  const layOut: VisitRecord = (record, { seq, ended }) => {
    if (record.type === "context_edit") {
      applyRecorded(runId, seq, assembly, record);
    } else if (record.type === "model_call_intent") {
      if (record.purpose !== undefined) return;
      checkPrompt(runId, seq, record, assembly.measure());
      assembly.markSent();
    } else if (ended !== undefined) {
      steps.push(ended);
      assembly.addStep(ended);
    }
  };
  let position = startPosition(runId);
  let entries = 0;
  let head = digest(runId);
  for (const entry of log) {
    position = foldEntry(position, entry, layOut);
    entries += 1;
    head = entry.hash;
  }
  return { assembly, steps, position, entries, head };
}
