import type { LogVerdict, OpenStepRecord, RunLogSummary } from "../../session/mod.ts";
import type { PlannedAction } from "../../types/mod.ts";
import { actionPart, plannedPart } from "./action_view.ts";
import { asidePart, replyPart } from "./call_view.ts";
import { type Markup, markup } from "./markup.ts";
import { grouped } from "./shown_text.ts";
import type { StepViewOptions } from "./step_view.ts";

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
  options: StepViewOptions,
): Markup {
  const { entries, logHead } = log;
  return markup`${openStep(log, options)}<h2>Unknown</h2>
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

/** What is on record of the step that has no end: it may be that its prompt is still being edited. */
function openStep(
  { open, counters: { steps } }: RunLogSummary,
  { texts, asides, concurrent }: StepViewOptions,
): Markup | undefined {
  const own = asides.at(steps);
  if (open === undefined && own.length === 0) return undefined;
  return markup`<h2>Step ${steps}, open</h2>
<div class="step inside">${own.map((aside) => asidePart(aside, texts))}${
    open && markup`${replyPart(open, texts)}${
      open.actions.map((action) => actionPart(action, texts, concurrent.has(action.actionId)))
    }${
      pendingActions(open).map(([action, state]) => plannedPart(action, state, texts))
    }`
  }</div>
`;
}

/** The actions of an open step that have no result, and whether they were begun. */
function pendingActions(
  { decision, modelCallId, actions, openActions }: OpenStepRecord,
): readonly (readonly [action: PlannedAction, state: string])[] {
  if (decision?.kind !== "action") return [];
  const settled = new Set(actions.map(({ actionId }) => actionId));
  const begun = new Set(openActions.map(({ ordinal }) => ordinal));
  return [...decision.actions.entries()]
    .filter(([ordinal]) => !settled.has(`${modelCallId}_a${ordinal}`))
    .map(([ordinal, action]) => [action, begun.has(ordinal) ? "no result yet" : "not begun"]);
}

function verdictWords(verdict: LogVerdict): Markup {
  if (verdict.ok) return markup`<span class="good">in order, as far as a log can tell</span>`;
  return markup`<span class="bad">${verdict.fault.message}</span>`;
}
