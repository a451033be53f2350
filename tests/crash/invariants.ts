import type { RunLog } from "../../session/mod.ts";
import {
  allowedTimes,
  isReplayed,
  isUnsure,
  openIntentFault,
  recordsOf,
  withdrawnCallFault,
} from "./log_facts.ts";
import type { Decoded } from "./decoded.ts";
import type { Recording } from "./recording.ts";
import { actionOf, type Script } from "./scripts/script.ts";
import type { Moment } from "./moment.ts";

/** What must hold at every state, by a short name. */
export const INVARIANTS: Readonly<Record<string, string>> = {
  "intent first": "no effect without an earlier durable intent",
  "once": "at most one execution per action id unless recorded replayable or resolved as not done",
  "visible": "no action is executed whose tool is hidden from the model",
  "acknowledged": "every acknowledged entry is readable: same bytes, same order",
  "prefix": "the log is a prefix of what was issued, without what was refused",
  "together": "a result and the end of its step are written together or not at all",
  "asked again": "a withdrawn call is made again, or its run ends where it stands",
  "unknown": "what nobody knows is on record: an open intent, an action that was given up",
  "unchanged": "a recorded result never changes",
  "one finish": "at most one finish, and nothing after it",
  "not asked again": "a durable reply, decision or result is never asked for again",
  "budget": "the budgets are never exceeded, across any number of crashes",
  "prompts": "the prompts sent equal the golden run's byte for byte",
  "result": "the final result equals the golden run's wherever no outcome was unknown",
  "verified": "verifyLog finds the final log in order",
  "kept": "a run is never taken from a driver that lives, where the store has locks or leases",
  "goes on": "what a crash left can be read and resumed; every error is typed",
};

/** What does not hold, and how it shows. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

/** One process of a timeline and how far it came; the last one came to its end. */
export interface Segment {
  readonly recording: Recording;
  /** Absent: its end. */
  readonly moment?: Moment;
  /** Whether it came by while another one drove the run. */
  readonly rival?: boolean;
  /** Whether it did not go on with the run, as what the run came to is on record elsewhere. */
  readonly settled?: boolean;
}

/** What a recording alone can break. */
export function recordingFaults(
  script: Script,
  recording: Recording,
  isExpected: typeof isOfScript = isOfScript,
): readonly Violation[] {
  const { end, outcome, again, child } = recording;
  const found = [...logFaults(recording), ...child === undefined ? [] : logFaults(child)];
  if (end.error !== undefined) return found;
  const say = (invariant: string, detail: string) => found.push({ invariant, detail });
  if (outcome.kind === "result") {
    if (end.log !== undefined && !sameSteps(outcome.result.steps, end.log)) {
      say("unchanged", "the steps of the result are not those on record");
    }
  } else if (!isExpected(script, recording)) say("goes on", outcome.text);
  if (again !== undefined) {
    if (again.calls > 0) say("one finish", "resuming a finished run does something");
    if (again.outcome.kind === "error") say("goes on", again.outcome.text);
    else if (end.log !== undefined && !sameSteps(again.outcome.result.steps, end.log)) {
      say("unchanged", "the steps of the stored result are not those on record");
    }
  }
  return found;
}

/** What the log of a recording alone can break. */
function logFaults({ base, end, verdict }: Recording): readonly Violation[] {
  if (end.error !== undefined) {
    return [{ invariant: "goes on", detail: `the log cannot be read: ${end.error}` }];
  }
  const found: Violation[] = [];
  const say = (invariant: string, detail: string) => found.push({ invariant, detail });
  const lines = end.lines ?? [];
  const finishes = recordsOf(lines).filter(({ type }) => type === "run_finished").length;
  const last = recordsOf(lines.slice(-1)).at(-1);
  if (finishes > 1 || (finishes === 1 && last?.type !== "run_finished")) {
    say("one finish", `${finishes} finished records, and the last record is a ${last?.type}`);
  }
  if (verdict !== undefined && verdict !== "ok") say("verified", verdict);
  if (apart(lines)) say("together", "a step's end has an entry of its own behind its last result");
  if (!(base.lines ?? []).every((line, i) => lines[i] === line)) {
    say("acknowledged", "an entry that was read is not there at the end");
  }
  return found;
}

function sameSteps(steps: readonly unknown[], log: RunLog): boolean {
  return JSON.stringify(steps) === JSON.stringify(log.steps);
}

function apart(lines: readonly string[]): boolean {
  return lines.some((line, i) => {
    if (!line.includes('"records":[{"type":"step"') || i === 0) return false;
    const before = recordsOf([lines[i - 1]!]).at(-1)!;
    // What a suspension leaves of an intent whose call never started stands alone.
    return before.type === "action_result" && before.status !== "not_executed";
  });
}

/** An error that the script itself makes: the caller's abort, and an interpreter that throws. */
function isOfScript(script: Script, { outcome, base }: Recording): boolean {
  if (outcome.kind === "result") return true;
  if (outcome.name === "AbortError") return true;
  const first = base.lines === null;
  if (outcome.code === "run_suspended") {
    return script.onAbort === "suspend" || (first && script.outageAt !== undefined);
  }
  return first && script.interpreterThrowsAt !== undefined &&
    outcome.text === "Error: cannot read this";
}

/**
 * What the death of a process at a moment, and what is left of its store, break.
 *
 * @param baseMayGo Whether what the process began with was shown to it and not on the disk: until its first barrier.
 */
export function crashFaults(
  recording: Recording,
  moment: Moment,
  power: boolean,
  left: Decoded,
  baseMayGo: boolean = false,
): Violation[] {
  if (left.error !== undefined) {
    return [{ invariant: "acknowledged", detail: `the log cannot be read: ${left.error}` }];
  }
  const found: Violation[] = [];
  const base = recording.base.lines ?? [];
  const lines = left.lines ?? [];
  const kept = (line: string, seq: number) => lines[seq] === line;
  const acked = recording.acked.slice(0, power ? moment.durable : moment.acked);
  const missing = acked.find(({ entry }) => !kept(entry.line, entry.seq));
  const isFree = baseMayGo && power && moment.durable === 0;
  if (missing !== undefined || !(isFree || base.every(kept))) {
    const seq = missing?.entry.seq ?? base.findIndex((line, i) => !kept(line, i));
    found.push({ invariant: "acknowledged", detail: `entry ${seq} was acknowledged and is lost` });
  }
  const issued = recording.issued.slice(0, moment.issued);
  for (const [seq, line] of lines.entries()) {
    if (seq < base.length) continue;
    const isIssued = issued.some(({ entry, refused }) => entry.line === line && !refused);
    if (!isIssued) found.push({ invariant: "prefix", detail: `entry ${seq} was not issued` });
  }
  return found;
}

/** What the processes of a timeline break together. */
export function timelineFaults(
  script: Script,
  golden: Recording,
  segments: readonly Segment[],
): Violation[] {
  const found: Violation[] = [];
  const say = (invariant: string, detail: string) => found.push({ invariant, detail });
  const { end, projection, outcome } = segments.at(-1)!.recording;
  if (end.error !== undefined) return found;
  const lines = end.lines ?? [];
  const executions = new Map<string, number>();
  const prompts = new Map<string, string>();
  // Of drivers at once each may come to what the other left open, and be told by a resolver what is not so any more.
  const beside = segments.some(({ rival }) => rival);
  let [calls, unsure] = [0, beside];
  for (const { recording, moment } of segments) {
    unsure ||= isUnsure(script, recording, segments);
    for (const effect of recording.effects.slice(0, moment?.effects)) {
      const { kind, id, attempt, prompt, backed, known } = effect;
      if (known && kind !== "execute") say("not asked again", `${kind} ${id}`);
      if (kind === "execute" && actionOf(script, id).hidden) say("visible", id);
      if (kind === "execute") executions.set(id, (executions.get(id) ?? 0) + 1);
      if ((kind === "execute" || kind === "model") && !backed) {
        say("intent first", `${kind} ${id}, attempt ${attempt}`);
      }
      if (kind !== "model") continue;
      calls += 1;
      const due = unsure ? undefined : goldenPrompts(golden).get(id);
      if (!isDue(script, prompt!, prompts.get(id), due)) say("prompts", `of call ${id}`);
      prompts.set(id, prompt!);
    }
  }
  for (const [id, times] of executions) {
    if (times > allowedTimes(lines, id, beside)) {
      say("once", `${id} was executed ${times} times`);
    }
  }
  if (end.log === undefined) return found;
  for (const [i, { recording, rival, settled }] of segments.entries()) {
    if (i === 0 || rival || settled || isGone(recording.base, segments.slice(i + 1))) continue;
    const fault = openIntentFault(recording.base, end.log, lines);
    if (fault !== undefined) say("unknown", fault);
    if (outcome.kind !== "result") continue;
    const unasked = withdrawnCallFault(recording.base, end.log);
    if (unasked !== undefined) say("asked again", unasked);
  }
  for (const { actionId, ...action } of end.log.steps.flatMap(({ actions }) => actions)) {
    const { outcome } = actionOf(script, actionId);
    const isGivenUp = Object(outcome).effect === "unknown" && action.status !== "unknown";
    if (isGivenUp && Object(action).effect !== "unknown") {
      say("unknown", `${actionId} was given up`);
    }
  }
  const { maxModelCalls = 20, maxSteps = 12, maxPromptChars = Infinity } = script.budget ?? {};
  if (calls > maxModelCalls) say("budget", `${calls} model calls of ${maxModelCalls}`);
  if (end.log.steps.length > maxSteps) say("budget", `${end.log.steps.length} steps`);
  if (end.log.counters.largestPromptChars > maxPromptChars) say("budget", "a prompt is too large");
  const comparable = outcome.kind === "result" && projection !== undefined && !unsure &&
    end.log.finished!.stopReason !== "cancelled" &&
    !(script.replaysAreDear && end.log.steps.some(isReplayed));
  if (comparable && golden.projection !== undefined && projection !== golden.projection) {
    say("result", firstDifference(projection, golden.projection));
  }
  return found;
}

/** Whether a later crash took the end of what a process began with: it had been shown and was not on the disk. */
function isGone({ lines }: Decoded, later: readonly Segment[]): boolean {
  const seq = (lines?.length ?? 0) - 1;
  return seq >= 0 && later.some(({ recording }) => recording.base.lines?.[seq] !== lines![seq]);
}

/** Whether a call may be made with a prompt: with that of the attempt before or, where that was too long, a shorter one. */
function isDue(
  { refusesOver = Infinity }: Script,
  prompt: string,
  before: string | undefined,
  golden: readonly string[] | undefined,
): boolean {
  if (before === prompt) return true;
  const isRefused = before !== undefined && before.length > refusesOver;
  const mayDiffer = before === undefined || (isRefused && prompt.length < before.length);
  return mayDiffer && (golden?.includes(prompt) ?? true);
}

const PROMPTS = new WeakMap<Recording, ReadonlyMap<string, readonly string[]>>();

function goldenPrompts(golden: Recording): ReadonlyMap<string, readonly string[]> {
  let prompts = PROMPTS.get(golden);
  if (prompts === undefined) {
    const calls = golden.effects.filter(({ kind }) => kind === "model");
    const byId = [...Map.groupBy(calls, ({ id }) => id)];
    prompts = new Map(byId.map(([id, made]) => [id, made.map(({ prompt = "" }) => prompt)]));
    PROMPTS.set(golden, prompts);
  }
  return prompts;
}

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  return `"…${a.slice(Math.max(0, at - 40), at + 40)}…" and not "…${b.slice(at, at + 40)}…"`;
}

/** An error that the store, or an abort, may well come to: a typed one. */
export function isTyped(script: Script, recording: Recording): boolean {
  const { outcome } = recording;
  return outcome.kind === "result" || outcome.code !== "" || isOfScript(script, recording);
}

/** Whether a driver that lived, and had the run, lost it to another one. */
export function keptFaults(recordings: readonly Recording[]): Violation[] {
  return recordings.filter(({ holds, outcome }) =>
    holds && outcome.kind === "error" && outcome.code === "run_conflict"
  ).map(({ outcome }) => ({
    invariant: "kept",
    detail: outcome.kind === "error" ? outcome.text : "",
  }));
}

/** What several drivers of one run, one after the other or at once, break together. */
export function driversFaults(
  recordings: readonly Recording[],
  base: Decoded,
  left: Decoded,
): Violation[] {
  const lines = left.lines ?? [];
  const found: Violation[] = [];
  for (const { entry } of recordings.flatMap(({ acked }) => acked)) {
    if (lines[entry.seq] === entry.line) continue;
    found.push({
      invariant: "acknowledged",
      detail: `entry ${entry.seq} was acknowledged and is lost`,
    });
  }
  const issued = recordings.flatMap(({ issued }) => issued).filter(({ refused }) => !refused);
  const allowed = new Set([...base.lines ?? [], ...issued.map(({ entry }) => entry.line)]);
  const foreign = lines.findIndex((line) => !allowed.has(line));
  if (foreign >= 0) found.push({ invariant: "prefix", detail: `entry ${foreign} was not issued` });
  return found;
}
