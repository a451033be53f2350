import { InvalidRequestError, type RunStartedRecord } from "../../types/mod.ts";

/** Whether texts are hidden in the log that a record begins. */
export function isRedacted({ redactedFrom }: RunStartedRecord): boolean {
  return redactedFrom !== undefined;
}

/** Refuses a log of which texts are hidden where a run would go on from what it says. */
export function refuseRedacted(started: RunStartedRecord, name = "log"): void {
  if (!isRedacted(started)) return;
  const { runId } = started;
  const detail =
    `texts of run "${runId}" are hidden in it, so that it is for reading: take the log that it was made from`;
  throw new InvalidRequestError(name, runId, detail);
}
