import type { LogVerdict, OpenStepRecord, RunLogSummary } from "../../session/mod.ts";
import { type Markup, markup } from "./markup.ts";
import { grouped, type ShownTexts } from "./shown_text.ts";
import { actionPart, replyPart, withdrawalNote } from "./step_view.ts";

/** What is known of a whole log: doubts, what it is waiting for, whether it was checked. */
export interface FootFacts {
  readonly doubts: readonly string[];
  /** What the check of the log found. Absent: it was not checked. */
  readonly verdict?: LogVerdict | undefined;
}

/** The end of a run's page. */
export function runFoot(
  log: RunLogSummary,
  { doubts, verdict }: FootFacts,
  texts: ShownTexts,
): Markup {
  const { entries, logHead, open, withdrawals } = log;
  return markup`${open && openStep(open, withdrawals, texts)}<h2>Unknown</h2>
${
    doubts.length === 0
      ? markup`<p class="good">nothing</p>`
      : markup`<ul>${doubts.map((doubt) => markup`<li class="odd">${doubt}</li>`)}</ul>`
  }
<h2>Log</h2>
<dl class="facts"><dt>entries</dt><dd>${
    grouped(entries)
  }</dd><dt>head</dt><dd><code>${logHead}</code></dd>${
    verdict && markup`<dt>checked</dt><dd>${verdictWords(verdict)}</dd>`
  }</dl>
`;
}

/** What is on record of the step that has no end. */
function openStep(
  open: OpenStepRecord,
  withdrawals: RunLogSummary["withdrawals"],
  texts: ShownTexts,
): Markup {
  const own = withdrawals.filter(({ stepIndex }) => stepIndex === open.stepIndex);
  return markup`<h2>Step ${open.stepIndex}, open</h2>
<div class="inside">${own.map((withdrawal) => withdrawalNote(withdrawal, texts))}${
    replyPart(open, texts)
  }${open.actions.map((action) => actionPart(action, texts))}</div>
`;
}

function verdictWords(verdict: LogVerdict): Markup {
  if (verdict.ok) return markup`<span class="good">in order, as far as a log can tell</span>`;
  return markup`<span class="bad">${verdict.fault.message}</span>`;
}
