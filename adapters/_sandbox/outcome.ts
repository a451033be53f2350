import { type ActionOutcome, fillText } from "../../types/mod.ts";
import { observedOutput } from "../_process/observed_output.ts";
import type { SandboxEnd, SandboxProcess } from "./process.ts";
import type { CodeSandboxTexts } from "./texts.ts";

/** How the wait for a cell ended. */
export type CellEnd =
  | SandboxEnd
  | "timed_out"
  | "closed"
  | { readonly wayOut: string };

/** What bounds a cell. */
export interface CellLimits {
  readonly timeoutMs: number;
  readonly maxOutputChars: number;
  readonly memoryMb: number;
}

/** What the engine says when it dies for want of memory. */
const NO_MEMORY =
  /Fatal JavaScript out of memory|Fatal process out of memory|heap out of memory|memory allocation of \d+ bytes failed/;

/**
 * The outcome of a cell. Whatever ended the process while the cell ran is the cell's own failure: there is nothing else
 * in it.
 */
export function cellOutcome(
  from: Pick<SandboxProcess, "stdout" | "stderr">,
  end: CellEnd,
  texts: CodeSandboxTexts,
  limits: CellLimits,
): ActionOutcome {
  const stdout = from.stdout.take();
  const stderr = from.stderr.take();
  const isOutOfMemory = end === "m" ||
    end === "died" && NO_MEMORY.test(stderr.beginning + stderr.end);
  const parts = isOutOfMemory // the engine's report is of no use to the model
    ? [{ label: "", ...stdout }]
    : [{ label: "", ...stdout }, { label: texts.stderr, ...stderr }];
  const note = noteOf(isOutOfMemory ? "m" : end, texts, limits);
  const output = observedOutput(parts, {
    maxOutputChars: limits.maxOutputChars,
    truncationNotice: texts.truncationNotice,
    noOutput: texts.noOutput,
    notes: note === undefined ? [] : [note],
  });
  return end === "found_dead" || end === "closed"
    ? { status: "environment_failed", ...output }
    : { status: "executed", failed: end !== "s", ...output, completed: false };
}

function noteOf(
  end: CellEnd,
  texts: CodeSandboxTexts,
  { timeoutMs, memoryMb }: CellLimits,
): string | undefined {
  if (typeof end === "object") return fillText(texts.wayOut, { way: end.wayOut });
  const notes: Readonly<Record<Exclude<CellEnd, object>, string | undefined>> = {
    s: undefined,
    f: undefined,
    x: texts.exited,
    m: fillText(texts.outOfMemory, { mb: memoryMb }),
    timed_out: fillText(texts.timedOut, { ms: timeoutMs }),
    died: texts.died,
    closed: texts.died,
    found_dead: texts.foundDead,
  };
  return notes[end];
}
