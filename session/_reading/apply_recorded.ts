import type { PromptAssembly } from "../../logic/_assembly/mod.ts";
import { type ContextEditRecord, RunLogCorruptError } from "../../types/mod.ts";

/** Edits a prompt as a log says it was. Throws a {@link RunLogCorruptError} for an edit that does not fit. */
export function applyRecorded(
  runId: string,
  seq: number,
  assembly: PromptAssembly,
  edit: ContextEditRecord,
  isRedacted: boolean = false,
): void {
  if (assembly.edit(edit, isRedacted)) return;
  const reason = "the steps before it do not give the prompt that it edits";
  throw new RunLogCorruptError(runId, seq, "prompts", reason);
}
