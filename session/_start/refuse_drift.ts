import { parameterDrifts } from "../../logic/_recovery/mod.ts";
import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import { type ParameterDrift, ParameterDriftError } from "../../types/mod.ts";
import { startedRecordOf } from "../_reading/started_record_of.ts";

/** Refuses to go on with other settings, or other contents, than the run started with. */
export function refuseDrift(
  runId: string,
  entries: readonly DecodedEntry[],
  parameters: Readonly<Record<string, string>>,
  contextDigest: string,
): void {
  const started = startedRecordOf(runId, entries);
  const drifts: ParameterDrift[] = [...parameterDrifts(started.parameters, parameters)];
  if (started.contextDigest !== contextDigest) {
    const recorded = started.contextDigest;
    drifts.push({ key: "request.context", kind: "changed", recorded, current: contextDigest });
  }
  if (drifts.length > 0) throw new ParameterDriftError(runId, drifts);
}
