import {
  type OriginVerdict,
  readLog,
  type RunLog,
  verifyLog,
  verifyOrigin,
} from "../../session/mod.ts";
import { counted, harmlessLine, paint } from "../../types/mod.ts";
import type { Screen } from "../_screen.ts";
import { linesOf, type ReadStore } from "../_store/read_store.ts";

/** Whether a run goes on from where it says, and from which run. */
export interface OriginFinding {
  readonly runId: string;
  readonly verdict: OriginVerdict;
}

/** Holds a run's log against that of the run that it goes on from, which must be sound itself. */
export async function originOf(open: ReadStore, runId: string): Promise<OriginFinding> {
  const log = await soundLog(open, runId);
  const { derivedFrom } = log.started;
  if (derivedFrom === undefined) {
    throw new Error(`Cannot verify where run "${runId}" goes on from as it goes on from no other`);
  }
  const parent = await soundLog(open, derivedFrom.runId);
  return { runId: derivedFrom.runId, verdict: verifyOrigin(log, parent) };
}

async function soundLog(open: ReadStore, runId: string): Promise<RunLog> {
  const lines = (await Array.fromAsync(linesOf(open, runId))).flat();
  const { fault } = verifyLog(lines);
  if (fault !== undefined) throw new Error(fault.message);
  return readLog(lines);
}

/** A finding in one line. */
export function originLine({ runId, verdict }: OriginFinding, screen: Screen): string {
  const mark = verdict.ok ? paint(screen, "good", "ok") : paint(screen, "bad", "FAULT");
  return `${mark}: ${harmlessLine(`from run ${runId}: ${verdictWords(verdict)}`)}`;
}

function verdictWords(verdict: OriginVerdict): string {
  if (!verdict.ok) return verdict.fault;
  if (verdict.editedAt !== undefined) return `edited at message ${verdict.editedAt}`;
  return verdict.added === 0 ? "unchanged" : `unchanged, ${counted(verdict.added, "message")} more`;
}
