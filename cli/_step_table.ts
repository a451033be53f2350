import { countCodePoints, type StepRecord, takeCodePoints } from "../types/mod.ts";

/** A table of a run's steps: one line each, columns aligned. */
export function stepTable(steps: readonly StepRecord[]): readonly string[] {
  const header = ["step", "outcome", "prompt", "took", "what"];
  const rows = steps.map((step) => [
    String(step.stepIndex),
    step.outcome,
    `${step.promptChars} chars`,
    `${step.durationMs} ms`,
    summary(step),
  ]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => countCodePoints(row[column]!)))
  );
  return [header, ...rows].map((row) =>
    row.map((cell, column) => cell + " ".repeat(widths[column]! - countCodePoints(cell))).join("  ")
      .trimEnd()
  );
}

/** One line for what a step did and what came of it. */
function summary(step: StepRecord): string {
  const said = firstLine(step.historyText ?? step.observation ?? "");
  const seen = step.actions.map(({ status, failed, observation }) =>
    `${failed ? "failed" : status}: ${firstLine(observation)}`
  );
  return [said, ...seen].join(" → ");
}

function firstLine(text: string): string {
  const line = (text.split("\n").find((part) => part.trim() !== "") ?? "").replace(/\p{Cc}/gu, "·");
  return countCodePoints(line) <= 60 ? line : `${takeCodePoints(line, 59)}…`;
}
