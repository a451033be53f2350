import type { RunLog, RunLogSummary } from "../../session/mod.ts";
import {
  COMPLETIONS,
  counted,
  cutSections,
  duration,
  fitColumns,
  harmless,
  harmlessLine,
  paint,
  type StepRecord,
  stepStyle,
  toolsSize,
} from "../../types/mod.ts";
import type { Screen } from "../_screen.ts";
import { bar, shown, tableLine, widen } from "../_terminal_text.ts";
import { errorWords, failureWords } from "./failure_words.ts";
import { lineageLines } from "./lineage.ts";
import { openDetails, preview, stepDetails } from "./step_details.ts";
import { endDoubts, FAILURES, reportsTokens, standing, stepDoubts } from "./standing.ts";

/** How many doubts a page names. */
const MAX_DOUBTS = 100;

/** What a page needs to know of all steps before the line of the first can be written. */
export class PageMeasure {
  /** The widths of the columns of a row, but for the last. */
  readonly widths: number[] = [];
  /** The first doubts. */
  readonly doubts: string[] = [];
  /** How many doubts there are beside those. */
  otherDoubts = 0;
  /** The size of the largest prompt. */
  largest = 0;
  /** How long the longest step took. */
  longest = 0;
  /** How long all steps took. */
  activeMs = 0;
  /** Whether any reply told how many tokens it took. */
  hasTokens = false;
  /** How many replies did not. */
  silentReplies = 0;
  /** The last step. Absent: there is none. */
  last: StepRecord | undefined;

  constructor() {
    widen(this.widths, HEADER.slice(0, -1));
  }

  /** Takes the next step in. */
  add(step: StepRecord): void {
    this.largest = Math.max(this.largest, step.promptChars);
    this.longest = Math.max(this.longest, step.durationMs);
    this.activeMs += step.durationMs;
    if (reportsTokens(step)) this.hasTokens = true;
    else if (step.reply !== undefined) this.silentReplies += 1;
    this.last = step;
    widen(this.widths, rowOf(step, this).slice(0, -1));
    this.doubt(stepDoubts(step));
  }

  /** Takes doubts in. */
  doubt(found: readonly string[]): void {
    const named = found.slice(0, MAX_DOUBTS - this.doubts.length);
    for (const doubt of named) this.doubts.push(doubt);
    this.otherDoubts += found.length - named.length;
  }
}

/** The parts of a page: what is above the steps, the lines of each, and what is below. */
export interface RunPage {
  readonly top: string;
  line(step: StepRecord): string;
  readonly bottom: string;
}

type PageScreen = Pick<Screen, "hasColor" | "columns">;

/** How a run is shown whose steps were measured. */
export function pageOf(log: RunLogSummary, measure: PageMeasure, screen: PageScreen): RunPage {
  const { runId, started, finished, entries, logHead } = log;
  const { polyloop, deno, runtime = deno ?? "an unknown runtime" } = started.runtime;
  const style = finished === undefined
    ? "odd"
    : COMPLETIONS.includes(finished.stopReason)
    ? "good"
    : "bad";
  measure.doubt(endDoubts(log));
  const [first = "nothing", ...others] = measure.doubts;
  if (measure.otherDoubts > 0) others.push(`and ${measure.otherDoubts} more`);
  const top = [
    paint(screen, "strong", harmlessLine(runId)),
    `started  ${harmlessLine(started.at)}, PolyLoop ${harmlessLine(polyloop)} on ${
      harmlessLine(runtime)
    }`,
    ...lineageLines(started),
    `spent    ${spent(log, measure)}`,
    ...cutSections(started.inputs?.report).map((cut) => `context  ${harmlessLine(cut)}`),
    "",
    paint(
      screen,
      "faint",
      measure.last === undefined ? "no steps are recorded" : rowLine(HEADER, measure, screen),
    ),
  ];
  const bottom = [
    ...openDetails(log).map(detailLine),
    "",
    `stopped  ${paint(screen, style, harmlessLine(standing(log)))}`,
    ...failureLine(log, measure),
    `unknown  ${harmlessLine(first)}`,
    ...others.map((doubt) => `         ${harmlessLine(doubt)}`),
    `log      ${entries} entries, head ${logHead}`,
  ];
  if (finished?.answer !== undefined) bottom.push("", harmless(shown(finished.answer)));
  return {
    top: top.join("\n"),
    line: (step) =>
      [
        paint(screen, stepStyle(step), rowLine(rowOf(step, measure), measure, screen)),
        ...stepDetails(step, log).map(detailLine),
      ].join("\n"),
    bottom: bottom.join("\n"),
  };
}

/** What belongs to the step above it: not cut, since it shows where the step's line only begins. */
function detailLine(detail: string): string {
  return `      ${detail}`;
}

/** How a run is shown of which all is in memory. */
export function terminalPage(log: RunLog, screen: PageScreen): string {
  const measure = new PageMeasure();
  for (const step of log.steps) measure.add(step);
  const { top, line, bottom } = pageOf(log, measure, screen);
  return [top, ...log.steps.map(line), bottom].join("\n");
}

/** What a run failed of in the end: whole, as the lines of the steps are cut. */
function failureLine({ finished }: RunLogSummary, { last }: PageMeasure): readonly string[] {
  if (finished === undefined || !FAILURES.includes(finished.stopReason)) return [];
  if (last === undefined) return [];
  return [`failed   ${harmlessLine(failureWords(last))}`];
}

/** What was spent of each limit. */
function spent(log: RunLogSummary, measure: PageMeasure): string {
  const { counters, settings: { budget } } = log;
  const of = (amount: number, most: number | undefined): string =>
    most === undefined ? String(amount) : `${amount} of ${most}`;
  return [
    `${of(counters.steps, budget.maxSteps)} steps`,
    `${of(counters.modelCalls, budget.maxModelCalls)} model calls`,
    `${of(counters.largestPromptChars, budget.maxPromptChars)} prompt characters${toolWords(log)}`,
    tokenWords(log, measure),
    `${of(Math.round(measure.activeMs), budget.maxActiveMs)} ms`,
  ].join(", ");
}

/** How much of each prompt the tools are that go along with it. */
function toolWords({ started, settings: { toolProtocol } }: RunLogSummary): string {
  const sent = toolProtocol === "native" ? started.inputs?.tools ?? [] : [];
  return sent.length === 0 ? "" : ` (${toolsSize(sent)} of them the tools)`;
}

/** The tokens that were reported; where they have a limit, also how many replies it could not count. */
function tokenWords(
  { counters, settings: { budget } }: RunLogSummary,
  { hasTokens, silentReplies }: PageMeasure,
): string {
  if (!hasTokens) return "tokens not reported";
  if (budget.maxTotalTokens === undefined) return `${counters.totalTokens} tokens`;
  const gap = silentReplies === 0
    ? ""
    : ` (${counted(silentReplies, "reply")} did not tell theirs)`;
  return `${counters.totalTokens} of ${budget.maxTotalTokens} tokens${gap}`;
}

const BAR_COLUMNS = 8;
/** A screen that is narrower shows what was done rather than bars. */
const COLUMNS_WITH_BARS = 110;
/** The columns of the bars, and those of numbers, in a row of {@link rowOf}. */
const BARS = [3, 5];
const NUMBERS = [0, 2, 4];

const BLANK = " ".repeat(BAR_COLUMNS);
const HEADER = ["step", "outcome", "prompt", BLANK, "took", BLANK, "what"];

/** What a step's line has: its outcome, the growth of the prompt, how long it took, what was said. */
function rowOf(step: StepRecord, { largest, longest }: PageMeasure): readonly string[] {
  return [
    String(step.stepIndex),
    step.outcome,
    String(step.promptChars),
    bar(step.promptChars, largest, BAR_COLUMNS),
    duration(step.durationMs),
    bar(step.durationMs, longest, BAR_COLUMNS),
    stepSummary(step),
  ];
}

function rowLine(row: readonly string[], { widths }: PageMeasure, screen: PageScreen): string {
  const isShown = (at: number) => screen.columns >= COLUMNS_WITH_BARS || !BARS.includes(at);
  const places = [...row.keys()].filter(isShown);
  const line = tableLine(
    places.map((at) => row[at] ?? ""),
    places.map((at) => widths[at] ?? 0),
    NUMBERS.map((at) => places.indexOf(at)),
  );
  return fitColumns(line, screen.columns);
}

/** One line for what a step said, and what came of it where it did nothing. */
function stepSummary(step: StepRecord): string {
  const { decision, historyText = "" } = step;
  const said = decision?.kind === "final_answer" ? shown(decision.answer) : historyText;
  return [preview(said), preview(errorWords(step))].filter((part) => part !== "").join(" → ");
}
