import {
  type LogVerdict,
  readLog,
  readLogInParts,
  type RunLogSummary,
  verifyLogInParts,
} from "../../session/mod.ts";
import { RunLogCorruptError, type StepRecord } from "../../types/mod.ts";
import { endDoubts } from "../_report/standing.ts";
import { firstLines, linesOf, type ReadStore } from "../_store/read_store.ts";
import { runFoot } from "./foot_view.ts";
import { pageEnd, pageStart, runHead, runOutcome, StepSums } from "./head_view.ts";
import { refuseLarge } from "./log_size.ts";
import { type Markup, markup } from "./markup.ts";
import { newMessagesOf } from "./new_messages.ts";
import { grouped, type ShownTexts } from "./shown_text.ts";
import { StepAsides } from "./step_asides.ts";
import { stepView } from "./step_view.ts";
import { strip, type StripStep, stripStep } from "./strip_view.ts";

/** What of a run a page shows. */
export interface RunViewOptions {
  readonly texts: ShownTexts;
  /** Whether the new messages of each prompt are shown. */
  readonly prompts: boolean;
  /** The first and the last step that is shown, both included. Absent: all. */
  readonly steps?: readonly [first: number, last: number] | undefined;
}

/**
 * Writes a run's page, a piece at a time: no more than a step of the log is in memory, but for the prompts. A log with a
 * fault is shown as far as it can be read, with the fault on top.
 *
 * @returns What is wrong with the log. Absent: nothing.
 * @throws If the log is too long for a page, or the run is not there.
 */
export async function writeRunView(
  open: ReadStore,
  runId: string,
  options: RunViewOptions,
  write: (part: Markup) => void,
): Promise<string | undefined> {
  const { texts } = options;
  await refuseLargePage(open, runId, options);
  const { log, verdict, sums, shown } = await surveyOf(open, runId, options);
  const newMessages = options.prompts
    ? newMessagesOf(readLog(await linesUpTo(open, log)))
    : undefined;
  const fault = verdict.ok ? undefined : verdict.fault.message;
  write(pageStart(runId));
  if (fault !== undefined) write(markup`<div class="fault"><p class="bad">${fault}</p></div>\n`);
  write(runHead(log, texts));
  write(runOutcome(log, sums, texts));
  write(markup`<h2>${stepsWords(log, shown)}</h2>\n`);
  const row = strip(shown);
  if (row !== undefined) write(row);
  const asides = StepAsides.of(log);
  const view = { texts, asides, concurrent: new Set(log.concurrent), newMessages };
  await readLogInParts(firstLines(log.entries, linesOf(open, runId)), (step) => {
    if (isShown(step, options)) write(stepView(step, view));
  });
  write(runFoot(log, { doubts: [...sums.doubts, ...endDoubts(log)], verdict }, view));
  write(pageEnd());
  return fault;
}

/** How many steps a run has, and which of them are shown. */
function stepsWords({ counters: { steps } }: RunLogSummary, shown: readonly StripStep[]): string {
  const all = `${grouped(steps)} ${steps === 1 ? "step" : "steps"}`;
  const [first, last] = [shown.at(0), shown.at(-1)];
  if (shown.length === steps) return all;
  if (first === undefined || last === undefined) return `${all}, none of which is here`;
  return `${all}, of which ${grouped(first.stepIndex)} to ${grouped(last.stepIndex)} are here`;
}

/** What has to be known of all steps before the first is shown. */
interface Survey {
  readonly log: RunLogSummary;
  readonly verdict: LogVerdict;
  readonly shown: readonly StripStep[];
  readonly sums: StepSums;
}

async function surveyOf(
  open: ReadStore,
  runId: string,
  options: RunViewOptions,
): Promise<Survey> {
  const verdict = await verifyLogInParts(linesOf(open, runId));
  const shown: StripStep[] = [];
  const sums = new StepSums();
  const readable = verdict.ok ? Infinity : verdict.fault.seq;
  const log = await readLogInParts(firstLines(readable, linesOf(open, runId)), (step) => {
    sums.add(step);
    if (isShown(step, options)) shown.push(stripStep(step));
  }).catch((error: unknown) => {
    if (!(error instanceof RunLogCorruptError) || verdict.ok) throw error;
    throw new Error(verdict.fault.message, { cause: error });
  });
  return { log, verdict, shown, sums };
}

/** Refuses a page that would be too large to look at, or that would take all of a large log into memory. */
async function refuseLargePage(
  open: ReadStore,
  runId: string,
  { steps, prompts }: RunViewOptions,
): Promise<void> {
  if (steps === undefined) {
    await refuseLarge(open, runId, "show all of", "choose some steps with --steps 0..200");
  } else if (prompts) {
    const advice = "leave --prompts out; prompt shows what the model saw in one call";
    await refuseLarge(open, runId, "show the prompts of", advice);
  } else if (open.redaction !== undefined) {
    const advice = "view the copy that redact writes, or use --no-text";
    await refuseLarge(open, runId, "hide texts of", advice);
  }
}

function isShown({ stepIndex }: StepRecord, { steps }: RunViewOptions): boolean {
  const [first, last] = steps ?? [0, Infinity];
  return first <= stepIndex && stepIndex <= last;
}

async function linesUpTo(open: ReadStore, { runId, entries }: RunLogSummary): Promise<string[]> {
  const lines: string[] = [];
  for await (const part of firstLines(entries, linesOf(open, runId))) {
    for (const line of part) lines.push(line);
  }
  return lines;
}
