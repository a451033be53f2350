import { otlpTrace, type TraceOptions } from "../../adapters/otel_events.ts";
import type { RunLogSummary } from "../../session/mod.ts";
import { harmless, harmlessJson, type StepRecord } from "../../types/mod.ts";
import type { Screen } from "../_screen.ts";
import { csvLine, exportColumns, exportRow } from "./export_columns.ts";

/** Writes a run, given what its log says and a way to read its steps, in order. */
export type WriteRun = (
  log: RunLogSummary,
  readSteps: (onStep: (step: StepRecord) => void) => Promise<void>,
) => Promise<void>;

/** Writes an object a line for each step. */
export function jsonlWriter(screen: Screen): WriteRun {
  const columns = exportColumns();
  const names = columns.map(({ name }) => name);
  return (log, readSteps) =>
    readSteps((step) => {
      const row = exportRow(step, log, columns);
      screen.print(harmlessJson(Object.fromEntries(names.map((name, at) => [name, row[at]]))));
    });
}

/**
 * Writes a row for each step. The names of the columns it writes at once.
 *
 * @param raw Whether a text stays as it is that a spreadsheet could take for a formula.
 */
export function csvWriter(raw: boolean, screen: Screen): WriteRun {
  const columns = exportColumns();
  screen.print(csvLine(columns.map(({ name }) => name), raw));
  return (log, readSteps) =>
    readSteps((step) => {
      const line = csvLine(exportRow(step, log, columns), raw);
      screen.print(screen.isTerminal ? harmless(line) : line);
    });
}

/** Writes a trace a line. All of a run's steps are in memory for it. */
export function traceWriter(options: TraceOptions, screen: Screen): WriteRun {
  return async (log, readSteps) => {
    const steps: StepRecord[] = [];
    await readSteps((step) => steps.push(step));
    screen.print(harmlessJson(otlpTrace({ ...log, steps }, options)));
  };
}
