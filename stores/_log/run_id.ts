import { InvalidRequestError } from "../../types/mod.ts";

const RUN_ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;

/** Whether a text is a run id. */
export function isRunId(text: string): boolean {
  return typeof text === "string" && RUN_ID.test(text);
}

/** Refuses what is not a run id: a store makes file names and keys of it. */
export function checkRunId(runId: string): void {
  if (!isRunId(runId)) {
    throw new InvalidRequestError("runId", runId, `a run id must match ${RUN_ID.source}`);
  }
}
