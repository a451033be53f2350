import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import { RunLogCorruptError, type RunStartedRecord } from "../../types/mod.ts";

/** The record that a log begins with. */
export function startedRecordOf(
  runId: string,
  entries: readonly DecodedEntry[],
): RunStartedRecord {
  const started = entries[0]?.records[0];
  if (started?.type === "run_started") return started;
  throw new RunLogCorruptError(runId, 0, "grammar", "it does not begin with the started record");
}
