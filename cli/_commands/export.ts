import type { TraceOptions } from "../../adapters/otel_events.ts";
import { readLogInParts } from "../../session/mod.ts";
import { harmlessLine, present } from "../../types/mod.ts";
import { type Command, type CommandWords, listing, UsageError } from "../_command.ts";
import { exportColumns } from "../_report/export_columns.ts";
import { csvWriter, jsonlWriter, traceWriter, type WriteRun } from "../_report/export_writers.ts";
import type { Screen } from "../_screen.ts";
import { STORE_OPTION } from "../_store/open_store.ts";
import { REDACT_OPTION } from "../_store/redaction_options.ts";
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
 *   `model_attempts` `withdrawn_calls` `observation` `error_name` `error_message`
 * - of the reply: `reply_text` `reply_chars` `finish_reason` `served_model` `served_by` `retries` `input_tokens` `output_tokens`
 *   `cached_input_tokens` `cache_write_tokens` `reasoning_tokens` `decision` `answer`
 * - of the actions: `action_count` `executed_count` `failed_count` `unknown_count` `actions`
 *
 * Times are milliseconds, or ISO 8601 in UTC; sizes are Unicode code points. Columns are only ever added.
 *
 * With `--format otlp` it gives a trace for each run instead.
 */
export const EXPORT: Command = {
  name: "export",
  summary: "Write the steps of all runs, or of those named, a row each, for analysis",
  operands: [],
  more: "run",
  options: {
    format: {
      value: "FORMAT",
      help: "jsonl, an object a line; csv; or otlp, a trace a line (default: jsonl)",
    },
    raw: { help: "leave texts of CSV as they are that a spreadsheet takes for formulas" },
    provider: { value: "NAME", help: "who served the model, for otlp, which needs it" },
    model: { value: "NAME", help: "the model that was asked for, for otlp" },
    agent: { value: "NAME", help: "the agent's name, for otlp" },
    content: { help: "put arguments, results and the answer into the traces" },
    redact: REDACT_OPTION,
    store: STORE_OPTION,
  },
  get details() {
    return exportDetails();
  },
  async run(words, screen) {
    const write = writerOf(words, screen);
    return await readStore(words, (open) => exportRuns(open, words, write, screen));
  },
};

/** What writes the runs in the format that is asked for. */
function writerOf(words: CommandWords, screen: Screen): WriteRun {
  const { values, flags } = words;
  const format = values.get("format") ?? "jsonl";
  if (flags.has("raw") && format !== "csv") {
    throw new UsageError(`Cannot export raw as ${format}: it is always exact, --raw is for csv`);
  }
  for (const name of ["provider", "model", "agent", "content"]) {
    if (format === "otlp" || !(values.has(name) || flags.has(name))) continue;
    throw new UsageError(`Cannot export as ${format} with --${name}: it is for otlp`);
  }
  switch (format) {
    case "jsonl":
      return jsonlWriter(screen);
    case "csv":
      return csvWriter(flags.has("raw"), screen);
    case "otlp":
      return traceWriter(traceOptions(words), screen);
    default:
      throw new UsageError(`Cannot export as "${format}": the format is jsonl, csv or otlp`);
  }
}

function traceOptions({ values, flags }: CommandWords): TraceOptions {
  const provider = values.get("provider");
  if (provider === undefined) {
    throw new UsageError("Cannot export as otlp: --provider NAME is missing, such as openai");
  }
  return present({
    provider,
    model: values.get("model"),
    agentName: values.get("agent"),
    content: flags.has("content"),
  });
}

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

With --format otlp each run is one OpenTelemetry trace, whole also after kills, a line of
JSON each: a collector takes it as the body of a POST to /v1/traces. It has names, sizes
and times, and no text of the run but with --content.

  pandas   pandas.read_json("steps.jsonl", lines=True, dtype={"run_id": str})
  DuckDB   SELECT * FROM 'steps.jsonl'`;
}

async function exportRuns(
  open: ReadStore,
  words: CommandWords,
  write: WriteRun,
  screen: Screen,
): Promise<number> {
  let damaged = 0;
  const isNamed = words.more.length > 0;
  for await (const runId of isNamed ? words.more : runIds(open)) {
    try {
      const log = await readLogInParts(linesOf(open, runId), () => {});
      await write(log, (onStep) => readAgain(open, log, onStep));
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
