import type { RunLog } from "../session/mod.ts";
import {
  type ActionRecord,
  type StepOutcome,
  type StepRecord,
  takeCodePoints,
} from "../types/mod.ts";
import { COMPLETIONS, doubts, standing } from "./_log_words.ts";
import type { Screen } from "./_screen.ts";
import {
  bar,
  duration,
  fitColumns,
  harmless,
  harmlessLine,
  paint,
  shown,
  type Style,
  table,
} from "./_terminal_text.ts";

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
    `unknown  ${harmlessLine(first)}`,
    ...others.map((doubt) => `         ${harmlessLine(doubt)}`),
    `log      ${entries} entries, head ${logHead}`,
  ];
  if (finished?.answer !== undefined) lines.push("", harmless(shown(finished.answer)));
  return lines.join("\n");
}

/** What was spent of each limit. */
function spent({ counters, steps, started: { parameters } }: RunLog): string {
  const of = (amount: number, limit: string): string => {
    const most = parameters[`request.budget.${limit}`];
    return most === undefined ? String(amount) : `${amount} of ${harmlessLine(most)}`;
  };
  const active = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [
    `${of(counters.steps, "max_steps")} steps`,
    `${of(counters.modelCalls, "max_model_calls")} model calls`,
    `${of(counters.largestPromptChars, "max_prompt_chars")} prompt characters`,
    `${of(counters.totalTokens, "max_total_tokens")} tokens`,
    `${of(Math.round(active), "max_active_ms")} ms`,
  ].join(", ");
}

const BAR_COLUMNS = 8;

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
  return table([header, ...rows], [0, 2, 4]).map((line, at) => {
    const step = steps[at - 1];
    const cut = fitColumns(line, screen.columns);
    return step === undefined ? paint(screen, "faint", cut) : paint(screen, stepStyle(step), cut);
  });
}

const STEP_STYLES: Readonly<Partial<Record<StepOutcome, Style>>> = {
  final_answer: "good",
  acted: "good",
  cancelled: "odd",
  model_outcome_unknown: "odd",
  action_outcome_unknown: "odd",
};

function stepStyle({ outcome, actions }: StepRecord): Style {
  const clean = actions.every(({ status, failed }) => status === "executed" && !failed);
  return outcome === "acted" && !clean ? "odd" : STEP_STYLES[outcome] ?? "bad";
}

/** One line for what a step said and did, and what came of it. */
function stepSummary(step: StepRecord): string {
  const { decision, historyText = "", observation = "", actions, error } = step;
  const said = decision?.kind === "final_answer" ? shown(decision.answer) : historyText;
  const failure = error === undefined ? observation : `${error.name}: ${error.message}`;
  return [preview(said), ...actions.map(actionSummary), preview(failure)]
    .filter((part) => part !== "").join(" → ");
}

function actionSummary(action: ActionRecord): string {
  const { toolName = "", status, failed, observation } = action;
  const fate = failed ? "failed" : status;
  return `${preview(toolName)} ${fate}: ${preview(observation)}`.trim();
}

/** The first line that says anything, cut. */
function preview(text: string): string {
  const line = takeCodePoints(text.trimStart(), 400).split("\n")[0]!;
  return fitColumns(harmlessLine(line), 60);
}
