import { readLog, type RunLog } from "../../session/mod.ts";
import type { Medium, Survivor } from "./media/medium.ts";
import { childOf, runIdOf, type Script } from "./scripts/script.ts";
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
  /** The number of entries, with `t` where a torn tail follows; then that of the run that a tool makes. */
  readonly prefix: string;
  /** What is left of the run that a tool makes. Absent: none does. */
  readonly child?: Decoded;
}

/** What is read where nothing was written. */
export const NOTHING: Decoded = { lines: null, torn: false, prefix: "0" };

/** Reads what a crash left, as a fresh process does. */
export async function decode(
  subject: Subject,
  script: Script,
  survivor: Survivor,
): Promise<Decoded> {
  const medium = survivor.restore();
  try {
    const own = await decodeRun(subject, medium, runIdOf(script), survivor.size);
    const made = childOf(script);
    if (medium.child === undefined || made === undefined) return own;
    const child = await decodeRun(subject, medium.child, made.runId, undefined);
    const error = own.error ?? child.error;
    const prefix = `${own.prefix}+${child.prefix}`;
    return { ...own, child, prefix, ...(error !== undefined && { error }) };
  } finally {
    medium.dispose();
  }
}

async function decodeRun(
  subject: Subject,
  medium: Medium,
  runId: string,
  size: number | undefined,
): Promise<Decoded> {
  const quiet = {
    inner: <T>(_: string, body: (fault: undefined) => T) => body(undefined),
    look: <T>(_: string, body: (fault: undefined) => T) => body(undefined),
    pause: () => Promise.resolve(),
  };
  let lines: readonly string[] | null;
  try {
    lines = await medium.open(subject, quiet).readRun(runId);
  } catch (error) {
    return { lines: [], error: String(error), torn: false, prefix: "unreadable" };
  }
  if (lines === null) {
    const torn = (size ?? 0) > 0;
    return { lines, torn, prefix: torn ? "0t" : "0" };
  }
  const whole = size === undefined ? undefined : bytesOf(lines);
  const torn = whole !== undefined && size! > whole;
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
