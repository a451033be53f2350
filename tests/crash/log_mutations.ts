import type { Explorer } from "./exploration.ts";
import { jsonlMedium } from "./media/jsonl_medium.ts";
import { fileOf, FOLDER } from "./media/simulated_disk.ts";
import type { InnerPoints } from "./media/medium.ts";
import { runIdOf } from "./scripts/script.ts";

/** A log that something changed. */
interface Mutation {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const LF = 0x0a;
/** More findings of the same kind say nothing new. */
const ENOUGH = 100;

/** What an editor or a transfer puts into a text. */
const FOREIGN: Readonly<Record<string, readonly number[]>> = {
  nul: [0],
  bom: [0xef, 0xbb, 0xbf],
  cr: [0x0d],
  blank: [LF],
  u2028: [0xe2, 0x80, 0xa8],
};

/**
 * Reads a finished log with every change of one bit, line or byte.
 *
 * @param only The one change to make, as a replay string names it. Absent: every one.
 */
export async function exploreMutations(
  explorer: Explorer,
  path: string,
  only?: string,
): Promise<void> {
  const { lines } = (await explorer.golden()).end;
  const { result } = explorer;
  const check = (name: string, fault: string | undefined) => {
    result.mutations += 1;
    if (fault === undefined) return;
    explorer.report([{ invariant: "goes on", detail: fault }], `${path}/~${name}`);
  };
  const whole = new TextEncoder().encode(lines!.map((line) => `${line}\n`).join(""));
  for (const mutation of mutationsOf(whole)) {
    if (only !== undefined && mutation.name !== only) continue;
    if (result.findings.length >= ENOUGH) return;
    check(mutation.name, await faultOf(explorer, lines!, mutation));
  }
  for (const { name, lines: changed } of lineMutationsOf(lines!)) {
    if (only !== undefined && name !== only) continue;
    check(name, readFault(explorer, lines!, changed));
  }
}

function* mutationsOf(whole: Uint8Array): Iterable<Mutation> {
  for (let at = 0; at < whole.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const bytes = whole.slice();
      bytes[at]! ^= 1 << bit;
      yield { name: `bit-${at}.${bit}`, bytes };
    }
    yield { name: `cut-${at}`, bytes: whole.slice(0, at) };
    for (const [name, foreign] of Object.entries(FOREIGN)) {
      const bytes = Uint8Array.from([...whole.subarray(0, at), ...foreign, ...whole.subarray(at)]);
      yield { name: `${name}-${at}`, bytes };
    }
  }
  for (const [name, foreign] of Object.entries(FOREIGN)) {
    yield { name: `${name}-${whole.length}`, bytes: Uint8Array.from([...whole, ...foreign]) };
  }
  const lines = linesOf(whole);
  for (const { name, lines: changed } of rowMutationsOf(lines)) {
    yield { name, bytes: Uint8Array.from(changed.flatMap((line) => [...line])) };
  }
}

function linesOf(whole: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < whole.length;) {
    const end = whole.indexOf(LF, start) + 1;
    lines.push(whole.subarray(start, end));
    start = end;
  }
  return lines;
}

function* rowMutationsOf<T>(rows: readonly T[]): Iterable<{ name: string; lines: readonly T[] }> {
  for (const [i, row] of rows.entries()) {
    yield { name: `without-${i}`, lines: rows.toSpliced(i, 1) };
    yield { name: `twice-${i}`, lines: rows.toSpliced(i, 0, row) };
    for (let j = i + 1; j < rows.length; j++) {
      yield { name: `swap-${i}.${j}`, lines: rows.with(i, rows[j]!).with(j, row) };
    }
  }
}

/** The same for stores that keep lines and not bytes. */
function* lineMutationsOf(
  lines: readonly string[],
): Iterable<{ name: string; lines: readonly string[] }> {
  for (const { name, lines: changed } of rowMutationsOf(lines)) {
    yield { name: `row-${name}`, lines: changed };
  }
  for (const [i, line] of lines.entries()) {
    for (let at = 0; at < line.length; at++) {
      const other = String.fromCharCode(line.charCodeAt(at) ^ 1);
      const changed = line.slice(0, at) + other + line.slice(at + 1);
      yield { name: `row-${i}.${at}`, lines: lines.with(i, changed) };
    }
  }
}

const QUIET: InnerPoints = {
  inner: (_, body) => body(undefined),
  look: (_, body) => body(undefined),
  pause: () => Promise.resolve(),
};

async function faultOf(
  { subject, script }: Explorer,
  lines: readonly string[],
  { bytes }: Mutation,
): Promise<string | undefined> {
  const runId = runIdOf(script);
  const files = new Map([[`${FOLDER}/${runId}.jsonl`, fileOf(bytes)]]);
  const store = jsonlMedium(runId, { folder: "durable", files }).open(subject, QUIET);
  let read: readonly string[] | null;
  try {
    read = await store.readRun(runId);
  } catch (error) {
    return errorFault(error);
  }
  const kept = read ?? [];
  const rest = bytes.subarray(kept.reduce((size, line) => size + byteLength(line) + 1, 0));
  if (rest.includes(LF)) return "lines after those that were read were left out";
  return readFault({ subject }, lines, kept);
}

function byteLength(line: string): number {
  return new TextEncoder().encode(line).length;
}

/** What is wrong with how changed lines are read: only the valid prefix, or a typed error, is right. */
function readFault(
  { subject }: Pick<Explorer, "subject">,
  lines: readonly string[],
  changed: readonly string[],
): string | undefined {
  if (changed.length === 0) return undefined;
  try {
    subject.kernel.readLog(changed);
  } catch (error) {
    return errorFault(error);
  }
  return changed.every((line, i) => line === lines[i]) ? undefined : "another history is read";
}

function errorFault(error: unknown): string | undefined {
  const { code, seq } = error as { code?: string; seq?: number };
  return typeof code === "string" && Number.isInteger(seq) ? undefined : `it throws ${error}`;
}
