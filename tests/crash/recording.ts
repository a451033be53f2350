import type { ActionRecord, RunResult, StepRecord } from "../../mod.ts";
import { canonicalJson } from "../../types/mod.ts";
import { type RunLog, verifyLog } from "../../session/mod.ts";
import type { Medium, Survivor } from "./media/medium.ts";
import { decode, type Decoded, NOTHING } from "./decoded.ts";
import { childOf, type Script } from "./scripts/script.ts";
import { scriptedRun } from "./scripts/scripted_ports.ts";
import type { CrashPoint, Effect, Fault, Issued, Moment } from "./moment.ts";
import { SimulatedProcess } from "./simulated_process.ts";
import type { Subject } from "./subject.ts";

/** How a process ended. */
export type Outcome =
  | { readonly kind: "result"; readonly result: RunResult }
  | { readonly kind: "error"; readonly name: string; readonly code: string; readonly text: string };

/** What a store holds when its process has ended. */
export interface Ending {
  readonly end: Decoded;
  /** What a resume of the finished run gave; absent where it had not finished. */
  readonly again?: { readonly outcome: Outcome; readonly calls: number };
  /** The steps and the end of the run, without what a crash may change. Absent: it has not finished. */
  readonly projection?: string;
  /** `ok`, or what `verifyLog` found. Absent: there is no log. */
  readonly verdict?: string;
  /** The same of the run that a tool makes. Absent: none does. */
  readonly childEnding?: Ending;
}

/** One process, from its start to its end, and all that it did on the way. */
export interface Recording extends Ending {
  readonly id: number;
  readonly base: Decoded;
  readonly moments: readonly Moment[];
  readonly points: readonly string[];
  readonly effects: readonly Effect[];
  readonly issued: readonly Issued[];
  readonly acked: readonly Issued[];
  /** Whether the store had said that the run was its. */
  readonly holds: boolean;
  readonly outcome: Outcome;
  /** The same of the run that a tool makes. Absent: none does. */
  readonly child?: Recording;
}

/** The endings that were looked at, by the key of what was left. */
export type Endings = Map<string, Ending>;

/** How a process is made. */
export interface DriveOptions {
  readonly first: boolean;
  readonly executed: ReadonlySet<string>;
  readonly crashAt?: CrashPoint;
  readonly faults?: readonly Fault[];
  readonly gate?: (point: string) => Promise<void>;
  /** What a rival does at the place of a fault of the kind `rival`. */
  readonly rival?: () => Promise<void>;
}

/** A process that was begun. */
export interface Driven {
  readonly process: SimulatedProcess;
  readonly outcome: Promise<Outcome>;
}

/** Begins a process over a medium: it resumes the run that is there, or starts it. */
export function begin(
  subject: Subject,
  script: Script,
  medium: Medium,
  base: Decoded,
  options: DriveOptions,
): Driven {
  const abort = new AbortController();
  const child = childOf(script);
  const { crashAt, gate, first } = options;
  const faults = options.faults ?? (first && script.fault !== undefined ? [script.fault] : []);
  const process = new SimulatedProcess({
    medium,
    log: base.log,
    child: child && { runId: child.runId, log: base.child?.log },
    crashAt,
    faults,
    gate,
    onFault: (kind) =>
      kind === "rival" ? options.rival?.() : abort.abort(new DOMException("stop", "AbortError")),
  });
  const { signal } = abort;
  const suspends = script.onAbort === "suspend" || faults.some(({ kind }) => /suspend/.test(kind));
  const onAbort = suspends ? "suspend" as const : "finish" as const;
  const childStore = medium.child && process.watchChild(medium.child.open(subject, process));
  const ports = {
    ...{ first, executed: options.executed, signal, onAbort },
    child: childStore && { process: process.child, store: childStore },
  };
  const store = process.watch(medium.open(subject, process));
  const scripted = scriptedRun(subject, script, process, store, ports);
  const { run, resume } = subject.kernel;
  const drive = base.lines === null ? run : resume;
  const outcome = drive(scripted.agent, scripted.request, scripted.options).then(
    (result): Outcome => ({ kind: "result", result }),
    (error): Outcome => ({
      kind: "error",
      name: error?.name ?? String(error),
      code: error?.code ?? "",
      text: `${error?.name}: ${error?.message}`,
    }),
  );
  return { process, outcome };
}

let nextId = 0;

/** Records a process that nothing stops, from what a crash left. */
export async function record(
  subject: Subject,
  script: Script,
  survivor: Pick<Survivor, "restore">,
  base: Decoded,
  options: DriveOptions,
  endings: Endings,
): Promise<Recording> {
  const medium = survivor.restore();
  const driven = begin(subject, script, medium, base, options);
  await driven.outcome;
  const recording = await conclude(subject, script, medium, base, driven, endings);
  medium.dispose();
  return recording;
}

/** What is on record of a process that has ended. */
export async function conclude(
  subject: Subject,
  script: Script,
  medium: Medium,
  base: Decoded,
  { process, outcome: ended }: Driven,
  endings: Endings,
): Promise<Recording> {
  const outcome = await ended;
  const left = medium.snapshot().survivors().find(({ power }) => !power)!;
  let ending = endings.get(left.key);
  if (ending === undefined) {
    ending = await endingOf(subject, script, left);
    endings.set(left.key, ending);
  }
  return recordingOf(nextId++, base, process, outcome, ending);
}

/** What is on record of a process that ended, or died, and of what its store then held. */
export function recordingOf(
  id: number,
  base: Decoded,
  process: SimulatedProcess,
  outcome: Outcome,
  { childEnding, ...ending }: Ending,
): Recording {
  const { moments, points, effects, issued, acked, holds } = process;
  const done = { id, moments, points, issued, acked, holds, outcome };
  const recording = { ...done, base, effects, ...ending };
  if (childEnding === undefined) return recording;
  const childBase = base.child ?? NOTHING;
  const child = { ...done, base: childBase, effects: process.childEffects, ...childEnding };
  return { ...recording, child };
}

async function endingOf(subject: Subject, script: Script, left: Survivor): Promise<Ending> {
  const end = await decode(subject, script, left);
  const ending = {
    ...logEnding(end),
    ...(end.child && { childEnding: logEnding(end.child) }),
  };
  if (end.log?.finished === undefined) return ending;
  return { ...ending, again: await resumeAgain(subject, script, left, end) };
}

function logEnding(end: Decoded): Ending {
  if (end.lines === null) return { end };
  const verdict = verdictOf(end.lines);
  if (end.log?.finished === undefined) return { end, verdict };
  return { end, verdict, projection: projectionOf(end.log) };
}

async function resumeAgain(
  subject: Subject,
  script: Script,
  left: Survivor,
  end: Decoded,
): Promise<{ outcome: Outcome; calls: number }> {
  const medium = left.restore();
  const driven = begin(subject, script, medium, end, { first: false, executed: new Set() });
  const outcome = await driven.outcome;
  const calls = new Set(driven.process.moments.map(({ point }) => point));
  calls.delete("read-1");
  medium.dispose();
  return { outcome, calls: calls.size };
}

function verdictOf(lines: readonly string[]): string {
  const verdict = verifyLog(lines);
  return verdict.ok ? "ok" : verdict.fault.message;
}

/** What must be equal however often the run crashed. */
function projectionOf(log: RunLog): string {
  const { stopReason, stopConditions, answer } = log.finished!;
  const steps = log.steps.map(projectionOfStep);
  return JSON.stringify({ stopReason, stopConditions, answer, steps });
}

function projectionOfStep(step: StepRecord): string {
  const { modelAttempts: _, durationMs: __, startedAt: ___, actions, ...rest } = step;
  return canonicalJson({ ...rest, actions: actions.map(projectionOfAction) });
}

function projectionOfAction(action: ActionRecord): object {
  const { attempts: _, durationMs: __, resolvedBy: ___, ...same } = action;
  // Where something was thrown depends on who called.
  const { stack: ____, ...error } = ("error" in action ? action.error : undefined) ?? {};
  return { ...same, error };
}
