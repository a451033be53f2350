import {
  diffLogs,
  type LogDifference,
  readLog,
  type RunLog,
  verifyLog,
} from "../../session/mod.ts";
import { counted, shownDifference, type StepRecord } from "../../types/mod.ts";
import { differenceWords } from "../_report/difference_words.ts";
import { endDoubts } from "../_report/standing.ts";
import type { ReadStore } from "../_store/read_store.ts";
import { runFoot } from "./foot_view.ts";
import { pageEnd, pageStart, runHead, runOutcome, StepSums } from "./head_view.ts";
import { smallPartsOf } from "./log_size.ts";
import { type Markup, markup } from "./markup.ts";
import { newMessagesOf } from "./new_messages.ts";
import type { RunViewOptions } from "./run_view.ts";
import { StepAsides } from "./step_asides.ts";
import { stepView, type StepViewOptions } from "./step_view.ts";

/** A run on a page of two. */
interface Side {
  readonly log: RunLog;
  readonly lines: readonly string[];
  readonly view: StepViewOptions;
  /** After how many of its steps the other run begins. */
  readonly before: number;
}

/**
 * Writes a page of two runs side by side: what they were asked and came to, where they part, and their steps in pairs; a
 * fork beside those of the run that it goes on from.
 *
 * @throws If one of them is not there, cannot be read, or is too long for a page.
 */
export async function writePairView(
  open: ReadStore,
  runIds: readonly [one: string, other: string],
  options: Omit<RunViewOptions, "steps">,
  write: (part: Markup) => void,
): Promise<void> {
  const [one, other] = [await linesAndLog(open, runIds[0]), await linesAndLog(open, runIds[1])];
  const sides = [
    sideOf(one, other.log, options, "a"),
    sideOf(other, one.log, options, "b"),
  ] as const;
  const difference = diffLogs(one.log, other.log);
  write(pageStart(`${runIds[0]} and ${runIds[1]}`, "pair"));
  write(partingPart(sides, difference, options));
  write(both(sides, ({ log }) => runHead(log, options.texts)));
  write(both(sides, ({ log }) => runOutcome(log, sumsOf(log), options.texts)));
  writeSteps(sides, difference, write);
  write(both(sides, ({ log, lines, view }) =>
    runFoot(log, {
      doubts: [...sumsOf(log).doubts, ...endDoubts(log)],
      verdict: verifyLog(lines),
    }, view)));
  write(pageEnd());
}

async function linesAndLog(
  open: ReadStore,
  runId: string,
): Promise<Pick<Side, "log" | "lines">> {
  const advice = "diff tells where it parts from another";
  const lines = (await smallPartsOf(open, runId, advice)).flat();
  return { log: readLog(lines), lines };
}

function sideOf(
  { log, lines }: Pick<Side, "log" | "lines">,
  { started: { derivedFrom } }: RunLog,
  { texts, prompts }: Omit<RunViewOptions, "steps">,
  anchor: string,
): Side {
  const view = {
    texts,
    anchor,
    asides: StepAsides.of(log),
    concurrent: new Set(log.concurrent),
    newMessages: prompts ? newMessagesOf(log) : undefined,
  };
  const before = derivedFrom?.runId === log.runId ? derivedFrom.steps : 0;
  return { log, lines, view, before };
}

function sumsOf({ steps }: RunLog): StepSums {
  const sums = new StepSums();
  for (const step of steps) sums.add(step);
  return sums;
}

function both(
  [one, other]: readonly [Side, Side],
  part: (side: Side) => Markup | undefined,
): Markup {
  return markup`<div class="two">${columnOf(one, part(one))}${
    columnOf(other, part(other))
  }</div>\n`;
}

/** What belongs to a run: a narrow screen, which has one below the other, says which. */
function columnOf({ log: { runId } }: Side, part: Markup | undefined): Markup {
  return part === undefined ? markup`<div></div>` : markup`<div data-run="${runId}">${part}</div>`;
}

/** Where two runs part, and what each of them has there. */
function partingPart(
  sides: readonly [Side, Side],
  difference: LogDifference | undefined,
  { texts }: Pick<RunViewOptions, "texts">,
): Markup {
  const [one, other] = sides;
  const names = [one.log.runId, other.log.runId] as const;
  const heading = markup`<h1>${names[0]} <span class="soft">beside</span> ${names[1]}</h1>`;
  if (difference === undefined) {
    return markup`${heading}<p class="good">They do not differ in anything that they were given or gave.</p>\n`;
  }
  const [a, b] = shownDifference(difference.a, difference.b);
  const words = differenceWords({ ...difference, path: texts.line(difference.path) }, names);
  return markup`${heading}<p class="odd">${words}${
    pairOf(one, difference) === undefined ? undefined : markup` · <a href="#parting">go there</a>`
  }</p>
    <div class="two">${columnOf(one, texts.block(a))}${columnOf(other, texts.block(b))}</div>
  `;
}

/** The pair of steps that differ. Absent: none does. */
function pairOf({ before }: Side, difference: LogDifference | undefined): number | undefined {
  if (difference?.step === undefined || difference.what === "stop") return undefined;
  return difference.step - before;
}

/** Steps in pairs; those that the other run has none beside are folded where they come first. */
function writeSteps(
  sides: readonly [Side, Side],
  difference: LogDifference | undefined,
  write: (part: Markup) => void,
): void {
  const [one, other] = sides;
  const most = Math.max(
    one.log.steps.length - one.before,
    other.log.steps.length - other.before,
  );
  const parting = pairOf(one, difference);
  write(both(sides, ({ log: { steps } }) => markup`<h2>${counted(steps.length, "step")}</h2>`));
  write(both(sides, earlierSteps));
  for (let pair = 0; pair < most; pair++) {
    if (pair === parting) write(markup`<p class="parting" id="parting">here they part</p>\n`);
    write(both(sides, (side) => stepPart(side, side.log.steps[side.before + pair])));
  }
}

function earlierSteps(side: Side): Markup | undefined {
  const { log, before } = side;
  if (before === 0) return undefined;
  return markup`<details><summary class="soft">${
    counted(before, "step")
  } before the other run begins</summary>${
    log.steps.slice(0, before).map((step) => stepPart(side, step))
  }</details>`;
}

function stepPart({ view }: Side, step: StepRecord | undefined): Markup | undefined {
  return step && stepView(step, view);
}
