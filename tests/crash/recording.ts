import type { ActionRecord, RunResult, StepRecord } from "../../mod.ts";
import { canonicalJson } from "../../types/mod.ts";
import { readLog, type RunLog, verifyLog } from "../../session/mod.ts";
import type { Medium, Survivor } from "./media/medium.ts";
import type { Script } from "./script.ts";
import { scriptedRun } from "./scripted_ports.ts";
import {
  type CrashPoint,
  type Effect,
  type Fault,
  type Issued,
  type Moment,
  SimulatedProcess,
} from "./simulated_process.ts";
import type { Subject } from "./subject.ts";

/** What a fresh process reads of what a crash left. */
export interface Decoded {
  /** The entries; `null` where no run was started. */
  readonly lines: readonly string[] | null;
  /** Why they cannot be read. Absent: they can. */
  readonly error?: string;
  /** Whether bytes that are no entry follow them. */
  readonly torn: boolean;
  /** The log that they are, by a reader that no seeded bug has. Absent: there is none, or it is faulty. */
  readonly log?: RunLog;
  /** The number of entries, with `t` where a torn tail follows. */
  readonly prefix: string;
}

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
  const { crashAt, gate, first } = options;
  const faults = options.faults ?? (first && script.fault !== undefined ? [script.fault] : []);
  const process = new SimulatedProcess({
    medium,
    log: base.log,
    crashAt,
    faults,
    gate,
    onFault: (kind) =>
      kind === "rival" ? options.rival?.() : abort.abort(new DOMException("stop", "AbortError")),
  });
  const { signal } = abort;
  const suspends = script.onAbort === "suspend" || faults.some(({ kind }) => /suspend/.test(kind));
  const onAbort = suspends ? "suspend" as const : "finish" as const;
  const ports = { first, executed: options.executed, signal, onAbort };
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
  const { moments, points, effects, issued, acked, holds } = process;
  return { id: nextId++, base, moments, points, effects, issued, acked, holds, outcome, ...ending };
}

async function endingOf(subject: Subject, script: Script, left: Survivor): Promise<Ending> {
  const end = await decode(subject, script, left);
  if (end.lines === null) return { end };
  const verdict = verdictOf(end.lines);
  if (end.log?.finished === undefined) return { end, verdict };
  const again = await resumeAgain(subject, script, left, end);
  return { end, verdict, projection: projectionOf(end.log), again };
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

/** Reads what a crash left, as a fresh process does. */
export async function decode(
  subject: Subject,
  script: Script,
  survivor: Survivor,
): Promise<Decoded> {
  const medium = survivor.restore();
  const quiet = {
    inner: <T>(_: string, body: (fault: undefined) => T) => body(undefined),
    look: <T>(_: string, body: (fault: undefined) => T) => body(undefined),
    pause: () => Promise.resolve(),
  };
  let lines: readonly string[] | null;
  try {
    lines = await medium.open(subject, quiet).readRun(script.name.replaceAll("_", "-"));
  } catch (error) {
    return { lines: [], error: String(error), torn: false, prefix: "unreadable" };
  } finally {
    medium.dispose();
  }
  if (lines === null) {
    const torn = (survivor.size ?? 0) > 0;
    return { lines, torn, prefix: torn ? "0t" : "0" };
  }
  const whole = survivor.size === undefined ? undefined : bytesOf(lines);
  const torn = whole !== undefined && survivor.size! > whole;
  const prefix = `${lines.length}${torn ? "t" : ""}`;
  const log = logOf(lines);
  return { lines, torn, prefix, ...(log !== undefined && { log }) };
}

const ENCODER = new TextEncoder();

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((size, line) => size + ENCODER.encode(line).length + 1, 0);
}

function logOf(lines: readonly string[]): RunLog | undefined {
  try {
    return readLog(lines);
  } catch {
    return undefined;
  }
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
