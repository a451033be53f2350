import {
  columnsOf,
  errorInfo,
  harmless,
  harmlessJson,
  harmlessLine,
  type JsonValue,
} from "../types/mod.ts";

/** An error as the one line that tells it. */
export function errorLine(error: unknown): string {
  return harmlessLine(errorInfo(error).message);
}

/** A value for people: a text as it is, anything else as JSON. */
export function shown(value: JsonValue): string {
  return typeof value === "string" ? harmless(value) : harmlessJson(value);
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for the share that an amount is of the most; any amount at all can be seen. */
export function bar(amount: number, most: number, columns: number): string {
  if (amount <= 0 || most <= 0) return " ".repeat(columns);
  const eighths = Math.max(1, Math.round(8 * columns * Math.min(1, amount / most)));
  return ("█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]).padEnd(columns);
}

/** Rows of cells as lines, columns aligned; `right` names the columns that hold numbers. */
export function table(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) widen(widths, row);
  return rows.map((row) => tableLine(row, widths, right));
}

/** Makes the widths of columns large enough for a row. */
export function widen(widths: number[], row: readonly string[]): void {
  for (const [at, cell] of row.entries()) {
    widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell));
  }
}

/** A row of a {@link table} whose widths are known. */
export function tableLine(
  row: readonly string[],
  widths: readonly number[],
  right: readonly number[],
): string {
  return row.map((cell, at) => {
    const space = " ".repeat(Math.max(0, (widths[at] ?? 0) - columnsOf(cell)));
    return right.includes(at) ? space + cell : cell + space;
  }).join("  ").trimEnd();
}
