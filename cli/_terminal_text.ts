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
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ""))));
  return rows.map((row) =>
    row.map((cell, at) => {
      const space = " ".repeat((widths?.[at] ?? 0) - columnsOf(cell));
      return right.includes(at) ? space + cell : cell + space;
    }).join("  ").trimEnd()
  );
}
