import { parameterDrifts } from "../../logic/_recovery/mod.ts";
import type { DecodedEntry } from "../../logic/serialization/mod.ts";
import { type ParameterDrift, ParameterDriftError, RunLogCorruptError } from "../../types/mod.ts";

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
