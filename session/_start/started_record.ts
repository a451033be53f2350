import {
  denoName,
  present,
  type RunStartedRecord,
  type RuntimeInfo,
  runtimeName,
  VERSION,
} from "../../types/mod.ts";
import type { LiveRun } from "../_live/live_run.ts";

/** The first record of a run. */
export function startedRecord(
  live: LiveRun,
  parameters: Readonly<Record<string, string>>,
  contextDigest: string,
): RunStartedRecord {
  const { runId, context, injections, report, derivedFrom, parent } = live.request;
  const inputs = live.options.recordInputs === false
    ? undefined
    : present({ context, injections, tools: live.tools, report });
  const deno = denoName();
  const other = deno === undefined ? runtimeName() : undefined;
  const runtime: RuntimeInfo = present({ polyloop: VERSION, deno, runtime: other });
  return present(
    {
      type: "run_started",
      runId,
      parameters,
      contextDigest,
      inputs,
      derivedFrom,
      parent,
      runtime,
      at: live.clock.iso(),
    } as const,
  );
}
