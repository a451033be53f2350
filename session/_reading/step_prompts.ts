import type { Message } from "../../types/mod.ts";
import type { RunLog } from "../read_log.ts";
import { applyRecorded } from "./apply_recorded.ts";
import { assemblyOfLog } from "./assembly_of_log.ts";
import { isRedacted } from "./redacted.ts";

/**
 * Gives the prompt of a step's own call, for steps that only rise: one history is laid out for all of them, where
 * `rebuildPrompt` lays out one for each. A message that stays is the same object. Of a log without inputs they are empty.
 */
export function stepPrompts(log: RunLog): (stepIndex: number) => readonly Message[] {
  const assembly = assemblyOfLog(log.started);
  const { runId, edits, editHeads, heads, steps } = log;
  let laidOut = 0;
  let edited = 0;
  const editUntil = (stepIndex: number) => {
    for (let edit = edits[edited]; edit && edit.stepIndex <= stepIndex; edit = edits[edited]) {
      const seq = heads.indexOf(editHeads[edited] ?? "");
      edited += 1;
      if (assembly === undefined || edit.type !== "context_edit") continue;
      applyRecorded(runId, seq, assembly, edit, isRedacted(log.started));
    }
  };
  return (stepIndex) => {
    for (const step of steps.slice(laidOut, stepIndex)) {
      editUntil(step.stepIndex);
      assembly?.addStep(step);
      laidOut += 1;
    }
    editUntil(stepIndex);
    return assembly?.messages() ?? [];
  };
}
