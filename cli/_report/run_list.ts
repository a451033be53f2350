import { readLogInParts } from "../../session/mod.ts";
import {
  checkShape,
  COMPLETIONS,
  digest,
  harmlessLine,
  type LogRecord,
  logRecordShape,
  parsedLinesOf,
  parseLogLine,
  type RunCounters,
  type RunFinishedRecord,
  type RunStartedRecord,
  type StoredRun,
  type Style,
} from "../../types/mod.ts";
import type { ReadStore } from "../_store/read_store.ts";
import { lineageWords } from "./lineage.ts";
import { openPlace, reportsTokens } from "./standing.ts";

/** What the line of a run says. There may be very many: what can be made of it is made when it is written. */
export interface ListRow {
  readonly runId: string;
  /** What it came to. Absent: the run cannot be read. */
  readonly tally?: {
    /** When it started, in milliseconds. */
    readonly startedAt: number;
    readonly steps: number;
    readonly modelCalls: number;
    /** Absent: no reply reported any. */
    readonly tokens: number | undefined;
    /** Whether it did what it was for; `odd` while it has not finished. */
    readonly style: Style;
    /** How long it was from its start to its end, in milliseconds. Absent: it has not finished. */
    readonly elapsedMs: number | undefined;
  };
  /** Why it stopped, where it stands, or why it cannot be read. */
  readonly state: string;
}

/** The runs of a store: those that can be read, the newest first, and the others. */
export interface RunList {
  readonly sound: readonly ListRow[];
  readonly unreadable: readonly ListRow[];
}

/** Reads what a list of a store's runs says. */
export async function readRunList(open: ReadStore): Promise<RunList> {
  const rows: ListRow[] = [];
  for await (const run of open.store.readRuns()) {
    const row = await readRow(open, run);
    if (row !== undefined) rows.push(row);
  }
  const sound = rows.filter(({ tally }) => tally !== undefined).sort(byStart);
  return { sound, unreadable: rows.filter(({ tally }) => tally === undefined) };
}

function byStart(a: ListRow, b: ListRow): number {
  return (b.tally?.startedAt ?? 0) - (a.tally?.startedAt ?? 0) || (a.runId < b.runId ? -1 : 1);
}

/** Whatever is wrong with a run is a line of its own. A file without a whole entry is no run. */
async function readRow(open: ReadStore, { runId, lines }: StoredRun): Promise<ListRow | undefined> {
  try {
    const ends = await readEnds(runId, lines);
    if (ends?.length === 0 && open.kind === "jsonl") return undefined;
    return finishedRow(ends) ?? await wholeRow(open, runId);
  } catch (error) {
    const state = `unreadable: ${harmlessLine(open.told(error))}`;
    return { runId, state };
  }
}

/** The first line of a log and its last, and how many there are; nothing where they are no chain of hashes. */
interface LogEnds {
  readonly length: number;
  readonly first: string;
  readonly last: string;
}

async function readEnds(
  runId: string,
  parts: AsyncIterable<readonly string[]>,
): Promise<LogEnds | undefined> {
  let [length, prev, first, last] = [0, digest(runId), "", ""];
  for await (const lines of parts) {
    const parsed = parsedLinesOf(lines) ?? lines.map(parseLogLine);
    for (const line of parsed) {
      if (!line.ok || line.entry.seq !== length || line.entry.prev !== prev) return undefined;
      prev = line.entry.hash;
      last = line.entry.line;
      if (length++ === 0) first = last;
    }
  }
  return { length, first, last };
}

/**
 * The row of a run that has finished, which the ends of its log tell: a store may hold very many. Nothing for any other
 * run.
 */
function finishedRow(ends: LogEnds | undefined): ListRow | undefined {
  if (ends === undefined || ends.length === 0) return undefined;
  const started = recordIn(ends.first, 0);
  const finished = recordIn(ends.last, -1);
  if (started?.type !== "run_started" || finished?.type !== "run_finished") return undefined;
  return row(started, finished.counters, finished.counters.totalTokens > 0, finished);
}

function recordIn(line: string, at: number): LogRecord | undefined {
  const { records }: { readonly records?: unknown } = Object(JSON.parse(line));
  const checked = checkShape(Array.isArray(records) ? records.at(at) : undefined, logRecordShape);
  return checked.ok ? checked.value : undefined;
}

async function wholeRow({ store }: ReadStore, runId: string): Promise<ListRow> {
  let hasTokens = false;
  const log = await readLogInParts(
    store.readLines(runId),
    (step) => hasTokens ||= reportsTokens(step),
  );
  const end = log.finished ?? `not finished: ${openPlace(log)}`;
  return row(log.started, log.counters, hasTokens, end);
}

function row(
  started: RunStartedRecord,
  { steps, modelCalls, totalTokens }: RunCounters,
  hasTokens: boolean,
  end: RunFinishedRecord | string,
): ListRow {
  const tokens = hasTokens ? totalTokens : undefined;
  const { runId, at } = started;
  const startedAt = Date.parse(at);
  const [state, style, elapsedMs] = typeof end === "string" ? [end, "odd", undefined] as const : [
    end.stopReason,
    COMPLETIONS.includes(end.stopReason) ? "good" : "bad",
    Date.parse(end.at) - startedAt,
  ] as const;
  const tally = { startedAt, steps, modelCalls, tokens, style, elapsedMs };
  return { runId, tally, state: state + lineageWords(started) };
}
