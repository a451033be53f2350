import { readLogInParts } from "../../session/mod.ts";
import { errorInfo } from "../../types/mod.ts";
import { endDoubts, reportsTokens, stepDoubts } from "../_report/standing.ts";
import { AbsentRunError, firstLines } from "../_store/read_store.ts";
import { runFoot } from "./foot_view.ts";
import { pageEnd, pageStart, runHead, runOutcome } from "./head_view.ts";
import { type Markup, markup } from "./markup.ts";
import type { ShownTexts } from "./shown_text.ts";
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
  const doubts: string[] = [];
  let activeMs = 0;
  let hasTokens = false;
  write(pageStart(runId));
  try {
    const lines = growingLines(log);
    const { value: started = [] } = await lines.next();
    write(runHead(await readLogInParts(firstLines(1, only(started)), () => {}), texts));
    write(markup`<h2>Steps</h2>\n`);
    const whole = await readLogInParts(begunWith(started, lines), (step) => {
      activeMs += step.durationMs;
      hasTokens ||= reportsTokens(step);
      for (const doubt of stepDoubts(step)) doubts.push(doubt);
      write(stepView(step, { texts, withdrawals: [], edits: [] }));
    });
    write(runOutcome(whole, { activeMs, hasTokens }, texts));
    write(runFoot(whole, { doubts: [...doubts, ...endDoubts(whole)] }, texts));
  } catch (error) {
    write(markup`
      <div class="fault">
        <p class="bad">${errorInfo(error).message}</p>
      </div>
    `);
  }
  write(pageEnd());
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
  const { records }: { readonly records?: readonly { readonly type?: unknown }[] } = JSON.parse(
    line,
  );
  return records?.at(-1)?.type === "run_finished";
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
