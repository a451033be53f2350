import { readLogInParts } from "../../session/mod.ts";
import {
  checkShape,
  digest,
  fitColumns,
  harmlessLine,
  type LogRecord,
  logRecordShape,
  parsedLinesOf,
  parseLogLine,
  type RunCounters,
  type StoredRun,
} from "../../types/mod.ts";
import { type Command, type CommandWords, UsageError } from "../_command.ts";
import { openPlace, reportsTokens } from "../_report/standing.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { type ReadStore, readStore } from "../_store/read_store.ts";
import { tableLine, widen } from "../_terminal_text.ts";

/** `list`: the runs of a store. */
export const LIST: Command = {
  name: "list",
  summary: "List the runs of a store, a line each, the newest first",
  operands: [],
  options: {
    limit: { value: "N", help: "no more than the newest N (default: all)" },
    store: STORE_OPTION,
  },
  details: `Each line has the run's id, when it started (UTC), how many steps and model calls
it took, the tokens that its replies reported (- if none did), and why it stopped or
where it stands.
A run whose log cannot be read says so at the end of the list, whatever the limit, and
the exit code is 1; "verify" tells more.`,
  async run(words, screen) {
    const limit = limitOf(words);
    const rows = await readStore(words, readRows);
    const sound = rows.filter(({ tally }) => tally !== undefined).sort(byStart);
    const unreadable = rows.filter(({ tally }) => tally === undefined);
    const shown = [...sound.slice(0, limit), ...unreadable];
    if (shown.length === 0) screen.complain("the store holds no runs");
    else printTable(shown, screen);
    return unreadable.length === 0 ? 0 : 1;
  },
};

/** What the line of a run says. There may be very many: what can be made of it is made when it is written. */
interface ListRow {
  readonly runId: string;
  /** What it came to. Absent: the run cannot be read. */
  readonly tally?: {
    /** When it started, in milliseconds. */
    readonly startedAt: number;
    readonly steps: number;
    readonly modelCalls: number;
    /** Absent: no reply reported any. */
    readonly tokens: number | undefined;
  };
  /** Why it stopped, where it stands, or why it cannot be read. */
  readonly state: string;
}

function byStart(a: ListRow, b: ListRow): number {
  return (b.tally?.startedAt ?? 0) - (a.tally?.startedAt ?? 0) || (a.runId < b.runId ? -1 : 1);
}

const HEADER = ["run", "started", "steps", "calls", "tokens", "state"];
const NUMBERS = [2, 3, 4];

/** As long as a run id can be: what a damaged store has in its place may be of any length. */
const ID_COLUMNS = 128;

function cellsOf({ runId, tally, state }: ListRow): readonly string[] {
  const name = fitColumns(harmlessLine(runId), ID_COLUMNS);
  if (tally === undefined) return [name, "", "", "", "", state];
  const { startedAt, steps, modelCalls, tokens = "-" } = tally;
  const at = new Date(startedAt).toISOString().slice(0, -".000Z".length);
  return [name, at, String(steps), String(modelCalls), String(tokens), state];
}

/** How many lines are written at once. */
const LINES_AT_ONCE = 1_000;

function printTable(rows: readonly ListRow[], screen: Screen): void {
  const widths: number[] = [];
  widen(widths, HEADER);
  for (const row of rows) widen(widths, cellsOf(row));
  screen.print(tableLine(HEADER, widths, NUMBERS));
  for (let at = 0; at < rows.length; at += LINES_AT_ONCE) {
    const lines = rows.slice(at, at + LINES_AT_ONCE)
      .map((row) => tableLine(cellsOf(row), widths, NUMBERS));
    screen.print(lines.join("\n"));
  }
}

function limitOf({ values }: CommandWords): number {
  const text = values.get("limit");
  if (text === undefined) return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`Cannot list "${text}" runs: the limit is a whole number from 1`);
}

async function readRows(open: ReadStore): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  for await (const run of open.store.readRuns()) {
    const row = await readRow(open, run);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** Whatever is wrong with a run is a line of its own. A file without a whole entry is no run. */
async function readRow(open: ReadStore, { runId, lines }: StoredRun): Promise<ListRow | undefined> {
  try {
    const ends = await readEnds(runId, lines);
    if (ends?.length === 0 && open.kind === "jsonl") return undefined;
    return finishedRow(runId, ends) ?? await wholeRow(open, runId);
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
function finishedRow(runId: string, ends: LogEnds | undefined): ListRow | undefined {
  if (ends === undefined || ends.length === 0) return undefined;
  const started = recordIn(ends.first, 0);
  const finished = recordIn(ends.last, -1);
  if (started?.type !== "run_started" || finished?.type !== "run_finished") return undefined;
  const { counters, stopReason } = finished;
  return row(runId, started.at, counters, counters.totalTokens > 0, stopReason);
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
  const state = log.finished?.stopReason ?? `not finished: ${openPlace(log)}`;
  return row(runId, log.started.at, log.counters, hasTokens, state);
}

function row(
  runId: string,
  at: string,
  { steps, modelCalls, totalTokens }: RunCounters,
  hasTokens: boolean,
  state: string,
): ListRow {
  const tokens = hasTokens ? totalTokens : undefined;
  return { runId, tally: { startedAt: Date.parse(at), steps, modelCalls, tokens }, state };
}
