import type { RunLog } from "../../session/mod.ts";
import {
  actionFate,
  type ActionRecord,
  counted,
  duration,
  fitColumns,
  harmless,
  harmlessLine,
  paint,
  type StepRecord,
  stepStyle,
  takeCodePoints,
  totalTokens,
} from "../../types/mod.ts";
import type { Screen } from "../_screen.ts";
import { bar, shown, table } from "../_terminal_text.ts";
import { COMPLETIONS, doubts, FAILURES, reportsTokens, standing } from "./standing.ts";

/** How a run is shown: a page of lines. */
export function runPage(log: RunLog, screen: Pick<Screen, "hasColor" | "columns">): string {
  const { runId, started, finished, entries, logHead } = log;
  const { polyloop, deno = "an unknown runtime" } = started.runtime;
  const style = finished === undefined
    ? "odd"
    : COMPLETIONS.includes(finished.stopReason)
    ? "good"
    : "bad";
  const [first = "nothing", ...others] = doubts(log);
  const lines = [
    paint(screen, "strong", harmlessLine(runId)),
    `started  ${harmlessLine(started.at)}, PolyLoop ${harmlessLine(polyloop)} on ${
      harmlessLine(deno)
    }`,
    `spent    ${spent(log)}`,
    "",
    ...stepLines(log.steps, screen),
    "",
    `stopped  ${paint(screen, style, harmlessLine(standing(log)))}`,
    ...failureLine(log),
    `unknown  ${harmlessLine(first)}`,
    ...others.map((doubt) => `         ${harmlessLine(doubt)}`),
    `log      ${entries} entries, head ${logHead}`,
  ];
  if (finished?.answer !== undefined) lines.push("", harmless(shown(finished.answer)));
  return lines.join("\n");
}

/** What a run failed of in the end: whole, as the lines of the steps are cut. */
function failureLine({ finished, steps }: RunLog): readonly string[] {
  if (finished === undefined || !FAILURES.includes(finished.stopReason)) return [];
  const step = steps.at(-1);
  if (step === undefined) return [];
  const failed = step.actions.at(-1) ?? step;
  return [`failed   ${harmlessLine(failureOf(failed))}`];
}

/** What was spent of each limit. */
function spent(log: RunLog): string {
  const { counters, steps, settings: { budget } } = log;
  const of = (amount: number, most: number | undefined): string =>
    most === undefined ? String(amount) : `${amount} of ${most}`;
  const active = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [
    `${of(counters.steps, budget.maxSteps)} steps`,
    `${of(counters.modelCalls, budget.maxModelCalls)} model calls`,
    `${of(counters.largestPromptChars, budget.maxPromptChars)} prompt characters`,
    tokenWords(log),
    `${of(Math.round(active), budget.maxActiveMs)} ms`,
  ].join(", ");
}

/** The tokens that were reported; where they have a limit, also how many replies it could not count. */
function tokenWords({ counters, steps, settings: { budget } }: RunLog): string {
  if (!reportsTokens(steps)) return "tokens not reported";
  if (budget.maxTotalTokens === undefined) return `${counters.totalTokens} tokens`;
  const silent = steps.filter(({ reply }) => reply !== undefined && totalTokens(reply) === 0);
  const gap = silent.length === 0
    ? ""
    : ` (${counted(silent.length, "reply")} did not tell theirs)`;
  return `${counters.totalTokens} of ${budget.maxTotalTokens} tokens${gap}`;
}

const BAR_COLUMNS = 8;
/** A screen that is narrower shows what was done rather than bars. */
const COLUMNS_WITH_BARS = 110;
/** The columns of the bars in a row of {@link stepLines}. */
const BARS = [3, 5];

/** A line for each step: its outcome, the growth of the prompt, how long it took, what was said and done. */
function stepLines(
  steps: readonly StepRecord[],
  screen: Pick<Screen, "hasColor" | "columns">,
): readonly string[] {
  if (steps.length === 0) return [paint(screen, "faint", "no steps are recorded")];
  const largest = Math.max(...steps.map(({ promptChars }) => promptChars));
  const longest = Math.max(...steps.map(({ durationMs }) => durationMs));
  const blank = " ".repeat(BAR_COLUMNS);
  const header = ["step", "outcome", "prompt", blank, "took", blank, "what"];
  const rows = steps.map((step) => [
    String(step.stepIndex),
    step.outcome,
    String(step.promptChars),
    bar(step.promptChars, largest, BAR_COLUMNS),
    duration(step.durationMs),
    bar(step.durationMs, longest, BAR_COLUMNS),
    stepSummary(step),
  ]);
  const hasBars = screen.columns >= COLUMNS_WITH_BARS;
  const cells = [header, ...rows].map((row) =>
    hasBars ? row : row.filter((_, at) => !BARS.includes(at))
  );
  return table(cells, hasBars ? [0, 2, 4] : [0, 2, 3]).map((line, at) => {
    const step = steps[at - 1];
    const cut = fitColumns(line, screen.columns);
    return step === undefined ? paint(screen, "faint", cut) : paint(screen, stepStyle(step), cut);
  });
}

/** One line for what a step said and did, and what came of it. */
function stepSummary(step: StepRecord): string {
  const { decision, historyText = "", actions } = step;
  const said = decision?.kind === "final_answer" ? shown(decision.answer) : historyText;
  return [preview(said), ...actions.map(actionSummary), preview(failureOf(step))]
    .filter((part) => part !== "").join(" → ");
}

function failureOf({ error, observation = "" }: Pick<StepRecord, "error" | "observation">): string {
  return error === undefined ? observation : `${error.name}: ${error.message}`;
}

function actionSummary(action: ActionRecord): string {
  const { toolName = "", observation } = action;
  return `${preview(toolName)} ${actionFate(action)}: ${preview(observation)}`.trim();
}

/** The first line that says anything, cut. */
function preview(text: string): string {
  const [line = ""] = takeCodePoints(text.trimStart(), 400).split("\n");
  return fitColumns(harmlessLine(line), 60);
}
