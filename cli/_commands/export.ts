import { readLogInParts, type RunLogSummary } from "../../session/mod.ts";
import {
  harmless,
  harmlessJson,
  harmlessLine,
  type JsonValue,
  type StepRecord,
} from "../../types/mod.ts";
import { type Command, type CommandWords, listing, UsageError } from "../_command.ts";
import { csvLine, exportColumns, exportRow } from "../_report/export_columns.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import {
  AbsentRunError,
  linesOf,
  readAgain,
  type ReadStore,
  readStore,
} from "../_store/read_store.ts";

/**
 * `export`: a row for each recorded step, for pandas, DuckDB and their like. A step that is open has no row yet, so a
 * run without a recorded step has none. Every row has every column: null means that it did not happen or was not
 * reported, 0 that it was reported as 0. The columns, in order (`export --help` has their types and units):
 *
 * - of the run: `run_id` `log_head` `run_started_at` `stop_reason` `binding` `fingerprints`
 * - of the step: `step_index` `started_at` `duration_ms` `outcome` `prompt_chars` `prompt_messages` `prompt_digest`
 *   `model_attempts` `observation` `error_name` `error_message`
 * - of the reply: `reply_text` `reply_chars` `finish_reason` `served_model` `input_tokens` `output_tokens`
 *   `cached_input_tokens` `cache_write_tokens` `reasoning_tokens` `decision` `answer`
 * - of the actions: `action_count` `executed_count` `failed_count` `unknown_count` `actions`
 *
 * Times are milliseconds, or ISO 8601 in UTC; sizes are Unicode code points. Columns are only ever added.
 */
export const EXPORT: Command = {
  name: "export",
  summary: "Write the steps of all runs, or of those named, a row each, for analysis",
  operands: [],
  more: "run",
  options: {
    format: { value: "FORMAT", help: "jsonl, an object a line, or csv (default: jsonl)" },
    raw: { help: "leave texts of CSV as they are that a spreadsheet takes for formulas" },
    store: STORE_OPTION,
  },
  get details() {
    return exportDetails();
  },
  async run(words, screen) {
    const format = words.values.get("format") ?? "jsonl";
    if (format !== "jsonl" && format !== "csv") {
      throw new UsageError(`Cannot export as "${format}": the format is jsonl or csv`);
    }
    const raw = words.flags.has("raw");
    if (raw && format !== "csv") {
      throw new UsageError("Cannot export raw as jsonl: it is always exact, --raw is for csv");
    }
    return await readStore(words, (open) => exportRuns(open, words, format, screen));
  },
};

function exportDetails(): string {
  return `Columns; a later version may add some, and takes none away:

${listing(exportColumns().map(({ name, help }) => [name, help]))}

Every row has every column. Null means that it did not happen or was not reported; 0
that it was reported as 0. In CSV, null is an empty field and an empty string is "";
objects and arrays are JSON in one field; and a lone surrogate, for which UTF-8 has no
form, becomes U+FFFD. A text of CSV that a spreadsheet could take for a formula (it
begins with = + - @, a tab or a line ending, whatever blanks are before) has a ' put
before it, unless --raw is given. jsonl keeps all texts (DuckDB refuses a line with a
lone surrogate) and is the exact one of the two: readers of CSV differ in empty
strings, NUL and CR. A step that is still
open has no row. A run whose log cannot be read is named on standard error; the others
are written, and the exit code is 1.

  pandas   pandas.read_json("steps.jsonl", lines=True, dtype={"run_id": str})
  DuckDB   SELECT * FROM 'steps.jsonl'`;
}

async function exportRuns(
  open: ReadStore,
  words: CommandWords,
  format: "jsonl" | "csv",
  screen: Screen,
): Promise<number> {
  const columns = exportColumns();
  const names = columns.map(({ name }) => name);
  const csv = (values: readonly JsonValue[]) => csvLine(values, words.flags.has("raw"));
  if (format === "csv") screen.print(csv(names));
  const print = (step: StepRecord, log: RunLogSummary) => {
    const row = exportRow(step, log, columns);
    const line = format === "jsonl"
      ? harmlessJson(Object.fromEntries(names.map((name, at) => [name, row[at]])))
      : csv(row);
    screen.print(format === "csv" && screen.isTerminal ? harmless(line) : line);
  };
  let damaged = 0;
  const isNamed = words.more.length > 0;
  for await (const runId of isNamed ? words.more : runIds(open)) {
    try {
      const log = await readLogInParts(linesOf(open, runId), () => {});
      await readAgain(open, log, (step) => print(step, log));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) throw error;
      // A file without a whole entry is no run.
      if (!isNamed && open.kind === "jsonl" && error instanceof AbsentRunError) continue;
      damaged++;
      screen.complain(`error: ${harmlessLine(open.told(error))}`);
    }
  }
  return damaged === 0 ? 0 : 1;
}

/** The ids of all runs. What the store has to open for one of them stays open for the next. */
async function* runIds({ store }: ReadStore): AsyncGenerator<string> {
  for await (const { runId } of store.readRuns()) yield runId;
}
