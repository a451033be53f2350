import {
  type LogVerdict,
  readLog,
  readLogInParts,
  rebuildPrompt,
  type RunLog,
  type RunLogSummary,
  verifyLogInParts,
} from "../../session/mod.ts";
import { counted, type Message, RunLogCorruptError, type StepRecord } from "../../types/mod.ts";
import { endDoubts, reportsTokens, stepDoubts } from "../_report/standing.ts";
import { firstLines, linesOf, type ReadStore } from "../_store/read_store.ts";
import { runFoot } from "./foot_view.ts";
import {
  pageEnd,
  pageStart,
  runHead,
  runOutcome,
  type StepSums,
  strip,
  type StripStep,
  stripStep,
} from "./head_view.ts";
import { type Markup, markup } from "./markup.ts";
import type { ShownTexts } from "./shown_text.ts";
import { stepView } from "./step_view.ts";

/** What of a run a page shows. */
export interface RunViewOptions {
  readonly texts: ShownTexts;
  /** Whether the new messages of each prompt are shown. */
  readonly prompts: boolean;
  /** The first and the last step that is shown, both included. Absent: all. */
  readonly steps?: readonly [first: number, last: number] | undefined;
}

/** How much of a log a page may be made of where no steps are chosen, in UTF-16 units. */
const MAX_LOG_UNITS = 100_000_000;

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
  const survey = await surveyOf(open, runId, options);
  const { log, verdict } = survey;
  const fault = verdict.ok ? undefined : verdict.fault.message;
  write(pageStart(runId));
  if (fault !== undefined) {
    write(markup`
      <div class="fault">
        <p class="bad">${fault}</p>
      </div>
    `);
  }
  write(runHead(log, texts));
  write(runOutcome(log, survey, texts));
  const row = strip(survey.strip);
  if (row !== undefined) write(row);
  const newMessages = options.prompts
    ? newMessagesOf(readLog(await linesUpTo(open, log)))
    : undefined;
  const { withdrawals, edits } = log;
  const view = { texts, withdrawals, edits, newMessages };
  await readLogInParts(firstLines(log.entries, linesOf(open, runId)), (step) => {
    if (isShown(step, options)) write(stepView(step, view));
  });
  write(runFoot(log, { doubts: survey.doubts, verdict }, texts));
  write(pageEnd());
  return fault;
}

/** What has to be known of all steps before the first is shown. */
interface Survey extends StepSums {
  readonly log: RunLogSummary;
  readonly verdict: LogVerdict;
  readonly strip: readonly StripStep[];
  readonly doubts: readonly string[];
}

async function surveyOf(
  open: ReadStore,
  runId: string,
  options: RunViewOptions,
): Promise<Survey> {
  const verdict = await verifyLogInParts(linesOf(open, runId));
  const shown: StripStep[] = [];
  const doubts: string[] = [];
  let activeMs = 0;
  let hasTokens = false;
  const readable = verdict.ok ? Infinity : verdict.fault.seq;
  const lines = firstLines(readable, checkedSize(linesOf(open, runId), runId, options));
  const log = await readLogInParts(lines, (step) => {
    activeMs += step.durationMs;
    hasTokens ||= reportsTokens(step);
    for (const doubt of stepDoubts(step)) doubts.push(doubt);
    if (isShown(step, options)) shown.push(stripStep(step));
  }).catch((error: unknown) => {
    if (!(error instanceof RunLogCorruptError) || verdict.ok) throw error;
    throw new Error(verdict.fault.message, { cause: error });
  });
  const all = [...doubts, ...endDoubts(log)];
  return { log, verdict, strip: shown, doubts: all, activeMs, hasTokens };
}

/** Passes lines on, as long as they are not more than a page may hold. */
async function* checkedSize(
  parts: AsyncIterable<readonly string[]>,
  runId: string,
  { steps }: RunViewOptions,
): AsyncGenerator<readonly string[]> {
  let units = 0;
  for await (const lines of parts) {
    for (const line of lines) units += line.length;
    if (units > MAX_LOG_UNITS && steps === undefined) {
      throw new Error(
        `Cannot show all of run "${runId}" on one page as its log has more than ${
          counted(MAX_LOG_UNITS, "character")
        }: choose some steps with --steps 0..200`,
      );
    }
    yield lines;
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

/**
 * What is new in the prompt of each step. Where no prompt was edited the last one holds all of them; else each is laid out
 * again, and what the one before it does not begin with is new.
 */
function newMessagesOf(log: RunLog): (step: StepRecord) => readonly Message[] {
  const { steps, started, edits } = log;
  if (started.inputs === undefined || steps.length === 0) return () => [];
  const callOf = (stepIndex: number) =>
    log.calls.findLastIndex((call) => call.stepIndex === stepIndex && call.purpose === undefined);
  if (edits.length === 0) {
    const last = rebuildPrompt(log, callOf(steps.length - 1));
    return ({ stepIndex, promptMessages }) =>
      last.slice(steps[stepIndex - 1]?.promptMessages ?? 0, promptMessages);
  }
  return ({ stepIndex }) => {
    const prompt = rebuildPrompt(log, callOf(stepIndex));
    const before = stepIndex === 0 ? [] : rebuildPrompt(log, callOf(stepIndex - 1));
    const texts = before.map((message) => JSON.stringify(message));
    const differs = prompt.findIndex((message, i) => JSON.stringify(message) !== texts[i]);
    return differs === -1 ? [] : prompt.slice(differs);
  };
}
