import { InvalidRequestError, type RunStartedRecord } from "../../types/mod.ts";

/** Refuses a log of which texts are hidden where a run would go on from what it says. */
export function refuseRedacted({ runId, redactedFrom }: RunStartedRecord, name = "log"): void {
  if (redactedFrom === undefined) return;
  const detail =
    `texts of run "${runId}" are hidden in it, so that it is for reading: take the log that it was made from`;
  throw new InvalidRequestError(name, runId, detail);
}
