import type { PromptAssembly } from "../../logic/_assembly/mod.ts";
import { parameterDrifts } from "../../logic/_recovery/mod.ts";
import { type ParameterDrift, present, type RunStartedRecord } from "../../types/mod.ts";
import { assemblyOfLog } from "../_reading/assembly_of_log.ts";
import type { Opening } from "./opening.ts";

/** All in which a call of a verb differs from what its run started with: other settings, or other contents. */
export function driftsFrom(
  started: RunStartedRecord,
  { parameters, assembly }: Pick<Opening, "parameters" | "assembly">,
): readonly ParameterDrift[] {
  const drifts = parameterDrifts(started.parameters, parameters);
  const recorded = started.contextDigest;
  const current = assembly.measure().promptDigest;
  if (recorded === current) return drifts;
  const source = firstDifference(assemblyOfLog(started), assembly);
  const drift = { key: "request.context", kind: "changed", recorded, current, source } as const;
  return [...drifts, present(drift)];
}

/** Where the first message comes from that two beginnings of a prompt do not share. */
function firstDifference(
  recorded: PromptAssembly | undefined,
  current: PromptAssembly,
): string | undefined {
  if (recorded === undefined) return undefined;
  const were = recorded.receipt().newMessages;
  const are = current.receipt().newMessages;
  const at = are.findIndex(({ chain }, i) => chain !== were[i]?.chain);
  return (at < 0 ? were[are.length] : are[at])?.source;
}
