import {
  actionFate,
  type ActionRecord,
  counted,
  duration,
  type ErrorInfo,
  type PlannedAction,
} from "../../types/mod.ts";
import { errorPart } from "./error_view.ts";
import { type Markup, markup } from "./markup.ts";
import { jsonText, type ShownTexts } from "./shown_text.ts";

/** An action, and what became of it. */
export function actionPart(action: ActionRecord, texts: ShownTexts, isAtOnce: boolean): Markup {
  const { actionId, toolName = "action", attempts, durationMs, truncatedChars } = action;
  const denial = action.status === "not_executed" ? action.denial : undefined;
  const notes = [
    actionId,
    duration(durationMs),
    isAtOnce ? "at the same time as others" : "",
    attempts > 1 ? `tried ${attempts} times` : "",
    action.resolvedBy === undefined ? "" : `resolved by ${action.resolvedBy}`,
    denial === undefined ? "" : `denied by ${denial.by}`,
    truncatedChars > 0
      ? `${counted(truncatedChars, "character")} cut off before it was recorded`
      : "",
    action.observationSynthetic ? "in the library's or the executor's own words" : "",
  ].filter((note) => note !== "").join(" · ");
  return markup`
    <h3 class="${actionStyle(action)}">${toolName} → ${actionFate(action)}</h3>
    <p class="note">${notes}</p>
    ${texts.block(argumentsText(action))}${texts.block(action.observation)}${
    errorPart(errorOf(action), texts)
  }`;
}

/** An action that has no result yet. */
export function plannedPart(
  action: PlannedAction,
  state: string,
  texts: ShownTexts,
): Markup {
  return markup`
    <h3 class="odd">${action.toolName ?? "action"} → ${state}</h3>
    ${texts.block(argumentsText(action))}`;
}

function argumentsText({ toolCall, action }: PlannedAction): string {
  return jsonText(toolCall?.arguments ?? action);
}

function errorOf(action: ActionRecord): ErrorInfo | undefined {
  return action.status === "executed" || action.status === "environment_failed"
    ? action.error
    : undefined;
}

function actionStyle(action: ActionRecord): "good" | "odd" | "bad" {
  switch (action.status) {
    case "executed":
      return action.failed ? "bad" : "good";
    case "not_executed":
    case "unknown":
      return "odd";
    case "environment_failed":
      return "bad";
  }
}
