import {
  type ContextPolicy,
  type ContextReplacement,
  type ContextStage,
  countCodePoints,
  fillText,
  type Message,
} from "../../types/mod.ts";
import type { ContextEdit } from "./apply_edit.ts";
import type { HistoryStyle } from "./history.ts";
import {
  elideResult,
  type HistoryUnit,
  noticeUnit,
  originalSizeOf,
  type StepUnit,
} from "./history_unit.ts";
import { type StageOf, summaryPrompt } from "./summary_prompt.ts";

/** A prompt as edits see it. */
export interface PromptView {
  /** History as the prompt shows it, in order. */
  readonly units: readonly HistoryUnit[];
  /** The size of the whole prompt. */
  readonly promptChars: number;
  readonly style: HistoryStyle;
}

/** What an editing is to come to. */
export interface EditGoal {
  /** The prompt is small enough when it is not larger. */
  readonly targetChars: number;
  /** Whether steps may be summed up: not where that has just failed. */
  readonly maySummarise: boolean;
}

/** What comes next in an editing: an edit, or a summary that a model is asked for first. */
export type PlannedEdit =
  | { readonly kind: "edit"; readonly edit: ContextEdit }
  | { readonly kind: "summary"; readonly wanted: WantedSummary };

/** Steps to be summed up. */
export interface WantedSummary {
  readonly stage: StageOf<"summarise">;
  readonly units: Range;
  readonly style: HistoryStyle;
  /** How much smaller the prompt must become. */
  readonly leastSaved: number;
  /** The prompt of the call. */
  readonly messages: readonly Message[];
}

type Range = readonly [HistoryUnit, ...HistoryUnit[]];

/** The next edit of a prompt that is too large: by the first stage that has any. Absent: none is needed, or none can be. */
export function planEdits(
  view: PromptView,
  policy: ContextPolicy,
  goal: EditGoal,
): PlannedEdit | undefined {
  if (view.promptChars <= goal.targetChars) return undefined;
  for (const stage of policy.stages) {
    const planned = planStage(stage, view, policy, goal);
    if (planned !== undefined) return planned;
  }
  return undefined;
}

function planStage(
  stage: ContextStage,
  view: PromptView,
  policy: ContextPolicy,
  { targetChars, maySummarise }: EditGoal,
): PlannedEdit | undefined {
  switch (stage.kind) {
    case "elide_observations":
      return edited(planElision(stage, view, policy, targetChars));
    case "drop_steps":
      return edited(planDrop(stage, view, policy, targetChars));
    case "summarise": {
      const wanted = maySummarise ? planSummary(stage, view, policy) : undefined;
      return wanted && { kind: "summary", wanted };
    }
  }
}

function edited(edit: ContextEdit | undefined): PlannedEdit | undefined {
  return edit && { kind: "edit", edit };
}

/** The results to elide, oldest first, until the prompt is small enough. */
function planElision(
  stage: StageOf<"elide_observations">,
  { units, promptChars, style }: PromptView,
  policy: ContextPolicy,
  targetChars: number,
): ContextEdit | undefined {
  const replacements: ContextReplacement[] = [];
  let saved = 0;
  for (const unit of runsOf(units, policy).flat()) {
    if (unit.kind !== "step") continue;
    let shown = unit;
    for (const [ordinal, { observation }] of unit.step.actions.entries()) {
      if (promptChars - saved <= targetChars && saved >= leastOf(policy)) break;
      const chars = countCodePoints(observation);
      if (unit.elided.has(ordinal) || chars <= stage.minChars) continue;
      const text = fillText(stage.notice, { step: style.historySteps + unit.steps[0], chars });
      const after = elideResult(shown, ordinal, text, style);
      if (after.size >= shown.size) continue;
      replacements.push({ step: unit.steps[0], ordinal, text });
      saved += shown.size - after.size;
      shown = after;
    }
  }
  const [first] = replacements;
  const last = replacements.at(-1);
  if (first === undefined || last === undefined || saved < leastOf(policy)) return undefined;
  return editOf("elide_observations", [first.step, last.step], promptChars, saved, replacements);
}

/** The oldest steps to drop, as few as will do, with the notice of a drop that stands before them. */
function planDrop(
  stage: StageOf<"drop_steps">,
  { units, promptChars, style }: PromptView,
  policy: ContextPolicy,
  targetChars: number,
): ContextEdit | undefined {
  for (const run of runsOf(units, policy)) {
    let edit: ContextEdit | undefined;
    for (const range of growing(run)) {
      const dropped = dropOf(stage, range, promptChars, style);
      if (promptChars - dropped.afterChars < leastOf(policy)) continue;
      edit = dropped;
      if (dropped.afterChars <= targetChars) return dropped;
    }
    if (edit !== undefined) return edit;
  }
  return undefined;
}

/** The beginnings of the first steps of a run, the notice of a drop before them with them. No summary is dropped. */
function* growing(run: readonly HistoryUnit[]): Generator<Range> {
  const start = run.findIndex(({ kind }) => kind === "step");
  const first = run[start];
  if (first === undefined) return;
  const before = run[start - 1];
  const notice = before?.kind === "drop_steps" ? [before] : [];
  const end = run.findIndex(({ kind }, i) => i > start && kind !== "step");
  const steps = run.slice(start, end === -1 ? run.length : end);
  for (let count = 1; count <= steps.length; count++) {
    const [head = first, ...tail] = [...notice, ...steps.slice(0, count)];
    yield [head, ...tail];
  }
}

function dropOf(
  stage: StageOf<"drop_steps">,
  range: Range,
  promptChars: number,
  style: HistoryStyle,
): ContextEdit {
  const text = fillText(stage.notice, { ...placesOf(range, style), chars: originalSizeOf(range) });
  return replacementOf("drop_steps", range, text, promptChars);
}

/** The steps to sum up: all of the first run that has any which no summary has. */
function planSummary(
  stage: StageOf<"summarise">,
  { units, style }: PromptView,
  policy: ContextPolicy,
): WantedSummary | undefined {
  for (const [first, ...others] of runsOf(units, policy)) {
    if (first === undefined) continue;
    const range: Range = [first, ...others];
    const saved = sizeOf(range) -
      noticeUnit("summarise", range, summaryText(stage, range, "", style)).size;
    if (range.every(({ kind }) => kind === "summarise") || saved < leastOf(policy)) continue;
    const messages = summaryPrompt(stage, range, style.historySteps);
    return { stage, units: range, style, leastSaved: leastOf(policy), messages };
  }
  return undefined;
}

/** What a policy has summed up where it asks for that. Absent: there is nothing to sum up. */
export function wantedSummary(
  view: PromptView,
  policy: ContextPolicy,
): WantedSummary | undefined {
  const stage = policy.stages.find((stage) => stage.kind === "summarise");
  return stage && planSummary(stage, view, policy);
}

/** The edit that a summary gives. Absent: it would save too little. */
export function summaryEdit(
  { stage, units, style, leastSaved }: WantedSummary,
  summary: string,
  promptChars: number,
): ContextEdit | undefined {
  const text = summaryText(stage, units, summary, style);
  const edit = replacementOf("summarise", units, text, promptChars);
  return edit.beforeChars - edit.afterChars < leastSaved ? undefined : edit;
}

function summaryText(
  { notice }: StageOf<"summarise">,
  range: Range,
  summary: string,
  style: HistoryStyle,
): string {
  return fillText(notice, { summary, ...placesOf(range, style) });
}

/** The places of the first and the last step in the conversation: steps of runs before this one count. */
function placesOf(
  range: Range,
  { historySteps }: HistoryStyle,
): { readonly from: number; readonly to: number } {
  const [from, to] = spanOf(range);
  return { from: historySteps + from, to: historySteps + to };
}

function replacementOf(
  kind: "drop_steps" | "summarise",
  range: Range,
  text: string,
  promptChars: number,
): ContextEdit {
  const saved = sizeOf(range) - noticeUnit(kind, range, text).size;
  const span = spanOf(range);
  return editOf(kind, span, promptChars, saved, [{ step: span[0], text }]);
}

function editOf(
  stage: ContextStage["kind"],
  steps: readonly [from: number, to: number],
  beforeChars: number,
  saved: number,
  replacements: readonly ContextReplacement[],
): ContextEdit {
  return { stage, steps, beforeChars, afterChars: beforeChars - saved, replacements };
}

/** What an edit must save: something. */
function leastOf({ minReclaimChars = 0 }: ContextPolicy): number {
  return Math.max(1, minReclaimChars);
}

/** The units that may be edited, in runs of those that follow each other. */
function runsOf(
  units: readonly HistoryUnit[],
  policy: ContextPolicy,
): readonly (readonly HistoryUnit[])[] {
  const count = (units.at(-1)?.steps[1] ?? -1) + 1;
  const runs: HistoryUnit[][] = [[]];
  for (const unit of units) {
    if (isKept(unit, count, policy)) runs.push([]);
    else runs.at(-1)?.push(unit);
  }
  return runs;
}

function isKept(unit: HistoryUnit, count: number, policy: ContextPolicy): boolean {
  const { keepFirstSteps = 0, keepLastSteps } = policy;
  const [from, to] = unit.steps;
  return from < keepFirstSteps || to >= count - keepLastSteps ||
    (unit.kind === "step" && isPinned(unit, policy));
}

function isPinned({ step }: StepUnit, { pinnedTools = [] }: ContextPolicy): boolean {
  return step.actions.some(({ toolName }) =>
    toolName !== undefined && pinnedTools.includes(toolName)
  );
}

function spanOf(range: Range): readonly [from: number, to: number] {
  const [first] = range;
  return [first.steps[0], (range.at(-1) ?? first).steps[1]];
}

function sizeOf(range: Range): number {
  return range.reduce((sum, { size }) => sum + size, 0);
}
