import { PromptAssembly } from "../logic/_assembly/mod.ts";
import {
  firstDifference,
  InvalidRequestError,
  isSameJson,
  type Message,
  type RunContext,
} from "../types/mod.ts";
import { contextAt, inheritedAfter } from "./context_at.ts";
import { refuseRedacted } from "./_reading/redacted.ts";
import { requireLog, type RunLog } from "./read_log.ts";
import { historyStyleOf } from "./_reading/assembly_of_log.ts";
import { type RequestInputs, requestInputs } from "./request_inputs.ts";

/** What {@link verifyOrigin} found. */
export type OriginVerdict =
  | {
    /** The run goes on from the place that it names. */
    readonly ok: true;
    /** Never there: nothing is wrong. */
    readonly fault?: never;
    /** The first message of the context that is not the inherited one, from 0. Absent: all are. */
    readonly editedAt?: number;
    /** How many messages follow the inherited ones; 0 where one of those was edited. */
    readonly added: number;
  }
  | {
    /** It does not. */
    readonly ok: false;
    /** Why not, in words. */
    readonly fault: string;
  };

/**
 * Whether a run goes on from where it says that it does, told from the two logs alone: the entry that it names is in its
 * parent's log, after so many steps, whatever came later there; and what of its context is inherited, edited or new.
 *
 * @param log A log that `readLog` read, of a fork or a continuation.
 * @param parent The log of the run that it names.
 * @throws {InvalidRequestError} If one of them is no such log, is redacted, was recorded with `recordInputs: false`, or
 * `log` names no origin.
 */
export function verifyOrigin(log: RunLog, parent: RunLog): OriginVerdict {
  requireLog(log);
  requireLog(parent, "parent");
  refuseRedacted(log.started);
  refuseRedacted(parent.started, "parent");
  const { derivedFrom } = log.started;
  if (derivedFrom === undefined) {
    throw new InvalidRequestError("log", log.runId, "the run goes on from no other");
  }
  const { runId, steps, logHead } = derivedFrom;
  if (runId !== parent.runId) return fault(`it goes on from run "${runId}", not "${parent.runId}"`);
  if (steps > parent.steps.length) {
    return fault(`it names ${steps} steps, and run "${runId}" has ${parent.steps.length}`);
  }
  const inherited = contextAt(parent, steps);
  const edits = editsUntil(parent, steps, logHead);
  if (edits === undefined && logHead !== inherited.derivedFrom.logHead) {
    return fault(`the log of run "${runId}" has another entry after ${steps} steps than it names`);
  }
  const { logHead: _, ...place } = derivedFrom;
  const { logHead: __, ...named } = inherited.derivedFrom;
  if (!isSameJson(place, named)) {
    return fault(`it counts other steps of the conversation than run "${runId}" does`);
  }
  const now = messagesOf(log, requestInputs(log));
  const seen = edits === undefined ? inherited : inheritedAfter(parent, steps, edits);
  const verdict = comparison(messagesOf(parent, seen), now);
  if (verdict.editedAt === undefined || parent.edits.length === 0) return verdict;
  const whole = comparison(messagesOf(parent, inheritedAfter(parent, steps, 0)), now);
  return whole.editedAt === undefined ? whole : verdict;
}

/**
 * How many edits there were at an entry between a step and the one before: the run that goes on from there may have been
 * begun before the others were made. Absent: the entry is not there.
 */
function editsUntil(
  { edits, editHeads, heads }: RunLog,
  steps: number,
  logHead: string,
): number | undefined {
  const last = edits.findLastIndex(({ stepIndex }, i) =>
    stepIndex === steps && editHeads[i] === logHead
  );
  if (last >= 0) return last + 1;
  return heads[steps] === logHead
    ? edits.filter(({ stepIndex }) => stepIndex < steps).length
    : undefined;
}

/** Where what was taken over is not what it was before; and else how much was added to it. */
function comparison(before: readonly Message[], now: readonly Message[]) {
  const editedAt = before.findIndex((message, i) => isOther(message, now[i]));
  return editedAt < 0
    ? { ok: true, added: now.length - before.length } as const
    : { ok: true, editedAt, added: 0 } as const;
}

function fault(reason: string): OriginVerdict {
  return { ok: false, fault: reason };
}

/** What stands in the prompt before the first step. */
function messagesOf(
  { started }: RunLog,
  { context, injections }: { readonly context: RunContext } & Pick<RequestInputs, "injections">,
): readonly Message[] {
  return new PromptAssembly({ context, injections, ...historyStyleOf(started) }).messages();
}

function isOther(message: Message, other: Message | undefined): boolean {
  const { provenance: _, ...said } = message;
  const { provenance: __, ...now } = other ?? { role: undefined };
  return firstDifference(said, now) !== undefined;
}
