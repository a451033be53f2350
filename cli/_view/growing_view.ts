import { readLogInParts } from "../../session/mod.ts";
import { checkShape, errorInfo, type LogRecord, logRecordShape } from "../../types/mod.ts";
import { endDoubts } from "../_report/standing.ts";
import { AbsentRunError, firstLines } from "../_store/read_store.ts";
import { runFoot } from "./foot_view.ts";
import { pageEnd, pageStart, runHead, runOutcome, StepSums } from "./head_view.ts";
import { type Markup, markup } from "./markup.ts";
import type { ShownTexts } from "./shown_text.ts";
import { StepAsides } from "./step_asides.ts";
import { stepView } from "./step_view.ts";

/** Where the page of a run comes from that is still driven. */
export interface GrowingLog {
  readonly runId: string;
  /** The lines that are there now, from the first. */
  read(): AsyncIterable<readonly string[]>;
  /** Waits before it is read again; gives whether anybody still wants the page. */
  wait(): Promise<boolean>;
}

/** Writes a run's page as the run goes on: each step when it is recorded, the end when it has finished. */
export async function writeGrowingView(
  log: GrowingLog,
  texts: ShownTexts,
  write: (part: Markup) => void,
): Promise<void> {
  const { runId } = log;
  const sums = new StepSums();
  const view = { texts, asides: new StepAsides(), concurrent: new Set<string>() };
  write(pageStart(runId));
  try {
    const lines = growingLines(log);
    const { value: started = [] } = await lines.next();
    write(runHead(await readLogInParts(firstLines(1, only(started)), () => {}), texts));
    write(markup`<h2>Steps</h2>\n`);
    const whole = await readLogInParts(noted(begunWith(started, lines), view), (step) => {
      sums.add(step);
      write(stepView(step, view));
    });
    write(runOutcome(whole, sums, texts));
    write(runFoot(whole, { doubts: [...sums.doubts, ...endDoubts(whole)] }, view));
  } catch (error) {
    write(markup`<div class="fault"><p class="bad">${errorInfo(error).message}</p></div>\n`);
  }
  write(pageEnd());
}

/** Passes lines on, with what they say beside the steps taken in before: a summary of the log comes after them all. */
async function* noted(
  parts: AsyncIterable<readonly string[]>,
  { asides, concurrent }: { readonly asides: StepAsides; readonly concurrent: Set<string> },
): AsyncGenerator<readonly string[]> {
  for await (const lines of parts) {
    for (const line of lines) {
      const records = recordsIn(line);
      for (const record of records) asides.add(record);
      const intents = records.filter((record) => record.type === "action_intent");
      if (intents.length > 1) { for (const { actionId } of intents) concurrent.add(actionId); }
    }
    yield lines;
  }
}

/** The records of a line, but for those that the line holds in a shorter form. What is wrong with it, its reader says. */
function recordsIn(line: string): readonly LogRecord[] {
  const { records } = parsed(line);
  if (!Array.isArray(records)) return [];
  return records.flatMap((record) => {
    const checked = checkShape(record, logRecordShape);
    return checked.ok ? [checked.value] : [];
  });
}

function parsed(line: string): { readonly records?: unknown } {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

/** The lines of a log as they come, until its run has finished. Each reading goes on where the one before ended. */
async function* growingLines(log: GrowingLog): AsyncGenerator<readonly string[]> {
  let seen = 0;
  for (;;) {
    let at = 0;
    let last: string | undefined;
    for await (const part of readable(log)) {
      const more = part.slice(Math.max(0, seen - at));
      at += part.length;
      if (more.length === 0) continue;
      seen = at;
      last = more.at(-1);
      yield more;
    }
    if (last !== undefined && endsRun(last)) return;
    if (!await log.wait()) return;
  }
}

/** What is there now: nothing where the run has not begun. */
async function* readable(log: GrowingLog): AsyncGenerator<readonly string[]> {
  try {
    yield* log.read();
  } catch (error) {
    if (!(error instanceof AbsentRunError)) throw error;
  }
}

function endsRun(line: string): boolean {
  return recordsIn(line).at(-1)?.type === "run_finished";
}

async function* begunWith(
  first: readonly string[],
  rest: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  yield first;
  yield* rest;
}

async function* only(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines;
}
