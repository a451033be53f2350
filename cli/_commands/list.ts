import { fitColumns, harmlessLine } from "../../types/mod.ts";
import { type Command, type CommandWords, UsageError } from "../_command.ts";
import { type ListRow, readRunList } from "../_report/run_list.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { readStore } from "../_store/read_store.ts";
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
    const { sound, unreadable } = await readStore(words, readRunList);
    const shown = [...sound.slice(0, limit), ...unreadable];
    if (shown.length === 0) screen.complain("the store holds no runs");
    else printTable(shown, screen);
    return unreadable.length === 0 ? 0 : 1;
  },
};

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
