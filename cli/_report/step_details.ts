import type { RunLogSummary } from "../../session/mod.ts";
import {
  type ActionRecord,
  canonicalJson,
  counted,
  duration,
  type ErrorInfo,
  excerpt,
  fateWords,
  fitColumns,
  harmlessLine,
  isJsonObject,
  type ModelCallWithdrawnRecord,
  type ModelReplyRecord,
  type ModelRetry,
  type PlannedAction,
  type StepRecord,
  takeCodePoints,
  totalTokens,
} from "../../types/mod.ts";

/** How many code points of an action's arguments are shown. */
const ARGUMENT_CHARS = 120;

/**
 * What a step's line does not tell, a line each: the attempts at its model call that were given up or made again, who
 * served it, and each action with the beginning of its arguments and of what came of it.
 */
export function stepDetails(
  step: StepRecord,
  log: Pick<RunLogSummary, "withdrawals" | "edits" | "summaries" | "concurrent">,
): readonly string[] {
  const { reply, error, actions, stepIndex } = step;
  const atOnce = actions.length > 1 ? log.concurrent : [];
  return [
    ...asideLines(log, stepIndex),
    ...retryLines(reply?.retries ?? error?.retries ?? []),
    ...(reply?.servedBy === undefined ? [] : [servedLine(reply.servedBy, reply.servedModel)]),
    ...actions.map((action) => actionLine(action, atOnce.includes(action.actionId))),
  ];
}

/** What is on record beside the step that is open or would be next, a line each. */
export function openDetails(log: RunLogSummary): readonly string[] {
  return asideLines(log, log.counters.steps);
}

/** The summaries, the edits of the prompt and the withdrawn calls of a step. */
function asideLines(
  { withdrawals, edits, summaries }: Pick<RunLogSummary, "withdrawals" | "edits" | "summaries">,
  step: number,
): readonly string[] {
  const isOwn = ({ stepIndex }: { readonly stepIndex: number }) => stepIndex === step;
  return [
    ...summaries.filter(isOwn).map(summaryLine),
    ...edits.filter(isOwn).map(editLine),
    ...withdrawals.filter(isOwn).flatMap(withdrawalLines),
  ];
}

function summaryLine({ callId, reply }: ModelReplyRecord): string {
  const tokens = totalTokens(reply);
  const cost = tokens === 0 ? "" : ` (${counted(tokens, "token")})`;
  return `summary ${harmlessLine(placeOf(callId))}${cost}: ${preview(reply.text)}`;
}

function editLine(edit: RunLogSummary["edits"][number]): string {
  return editWords(edit) + ("error" in edit && edit.error ? `: ${errorLine(edit.error)}` : "");
}

/** What was done to the prompt before the step's call, or what was not. */
export function editWords(edit: RunLogSummary["edits"][number]): string {
  if (edit.type === "context_edit_failed") return `steps not summed up, ${edit.reason}`;
  const [from, to] = edit.steps;
  const steps = from === to ? `step ${from}` : `steps ${from} to ${to}`;
  const sizes = `prompt of ${edit.beforeChars} now ${edit.afterChars} characters`;
  const { stage, replacements: { length } } = edit;
  const what = stage === "elide_observations" ? ` of ${counted(length, "result")}` : "";
  return `edit ${edit.edit}, ${stage}${what} in ${steps}: ${sizes}`;
}

function withdrawalLines(withdrawal: ModelCallWithdrawnRecord): readonly string[] {
  const { error } = withdrawal;
  const why = error === undefined ? "" : `: ${errorLine(error)}`;
  return [...retryLines(error?.retries ?? []), withdrawalWords(withdrawal) + why];
}

/** Which attempt at a call was given up, and what became of it. */
export function withdrawalWords(
  { attempt, reason, error, purpose }: ModelCallWithdrawnRecord,
): string {
  const what = reason !== "failed"
    ? "given up"
    : error?.kind === "context_length"
    ? "failed, and is made again"
    : "failed, and the run was suspended";
  return `${purpose ?? "call"} ${attempt} ${what}`;
}

function retryLines(retries: readonly ModelRetry[]): readonly string[] {
  return retries.map(({ error, waitedMs }) =>
    `asked again after ${duration(waitedMs)}: ${errorLine(error)}`
  );
}

function servedLine(servedBy: number, servedModel: string | undefined): string {
  const name = servedModel === undefined ? "" : ` (${harmlessLine(servedModel)})`;
  return `served by model ${servedBy}${name}`;
}

function actionLine(action: ActionRecord, isAtOnce: boolean): string {
  const { actionId, observation } = action;
  const place = harmlessLine(placeOf(actionId)) + (isAtOnce ? " (at once)" : "");
  return `${place} ${actionWords(action)} → ${fateWords(action)}: ${preview(observation)}`;
}

/** The end of an id, which tells it from others of its run. */
function placeOf(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1);
}

/** An action as a person would name it: its tool, and the beginning of its arguments. */
export function actionWords({ action, toolName, toolCall }: PlannedAction): string {
  const given = toolCall?.arguments ??
    (isJsonObject(action) && toolName !== undefined ? action.arguments : undefined) ?? action;
  const text = typeof given === "string" ? given : canonicalJson(given);
  const shown = harmlessLine(excerpt(text, ARGUMENT_CHARS));
  return toolName === undefined ? shown : `${harmlessLine(toolName)} ${shown}`;
}

function errorLine({ name, message }: ErrorInfo): string {
  return harmlessLine(excerpt(`${name}: ${message}`, 200));
}

/** The beginning of a text, as one line. */
export function preview(text: string): string {
  return fitColumns(harmlessLine(takeCodePoints(text.trimStart(), 400)), 60);
}
