import { copyField, InvalidRequestError, type RunOrigin, runOriginShape } from "../../types/mod.ts";

/** The origin that a run is given; it cannot be the run itself, nor have fewer steps than its own last part. */
export function copyOrigin(
  runId: string,
  derivedFrom: RunOrigin | undefined,
): RunOrigin | undefined {
  if (derivedFrom === undefined) return undefined;
  const origin = copyField("derivedFrom", derivedFrom, runOriginShape);
  if (origin.runId === runId) {
    throw new InvalidRequestError("derivedFrom.runId", runId, "it is the run itself");
  }
  if (origin.historySteps < origin.steps) {
    const detail = `the conversation has at least the ${origin.steps} steps of its last run`;
    throw new InvalidRequestError("derivedFrom.historySteps", origin.historySteps, detail);
  }
  return origin;
}
