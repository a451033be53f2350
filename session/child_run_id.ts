import { digest, requireString } from "../types/mod.ts";

const LONGEST = 128;
const TAIL = 32;

/**
 * The id of the run that a tool makes for an action: a valid run id, the same whenever the action is replayed, so that a
 * replayed action finds the run that it began and goes on with it. Other actions have other runs. Where the id would be
 * longer than a run id may be, its end is a digest.
 *
 * @example
 * ```ts
 * import { childRunId } from "@polyloop/polyloop/session";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(childRunId("report/s4_a0"), "report.s4_a0");
 * ```
 *
 * @param actionId The action's id, as the executor or the tool is given it.
 * @throws {InvalidRequestError} If it is not a string.
 */
export function childRunId(actionId: string): string {
  requireString("actionId", actionId);
  const runId = actionId.replace("/", ".");
  if (runId.length <= LONGEST) return runId;
  const tail = digest(actionId).slice("sha256:".length).slice(0, TAIL);
  return `${runId.slice(0, LONGEST - TAIL - 1)}-${tail}`;
}
