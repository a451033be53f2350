import type { ActionOutcome, ActionRecord, ActionResult, ActionStatus } from "../action_result.ts";
import type { StepOutcome, StepRecord } from "../step_record.ts";
import { harmlessLine } from "./harmless.ts";

/** How a text may look on a terminal: `odd` is what is neither good nor bad. */
export type Style = "strong" | "faint" | "good" | "odd" | "bad";

const CODES: Readonly<Record<Style, number>> = { strong: 1, faint: 2, bad: 31, good: 32, odd: 33 };

/**
 * A {@link harmless} text in a style of a terminal, if there are colours.
 *
 * @example
 * ```ts
 * import { paint } from "../mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(paint({ hasColor: true }, "bad", "no"), "\x1b[31mno\x1b[0m");
 * assertEquals(paint({ hasColor: false }, "bad", "no"), "no");
 * ```
 *
 * @param screen Whether there are colours.
 */
export function paint(screen: { readonly hasColor: boolean }, style: Style, text: string): string {
  return screen.hasColor ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
}

const STEP_STYLES: Readonly<Record<StepOutcome, Style>> = {
  final_answer: "good",
  acted: "good",
  invalid_decision: "bad",
  model_call_failed: "bad",
  environment_failed: "bad",
  cancelled: "odd",
  model_outcome_unknown: "odd",
  action_outcome_unknown: "odd",
};

/** The style of a step's line, told by its outcome: a step that acted is `odd` if any of its actions failed or never ran. */
export function stepStyle({ outcome, actions }: Pick<StepRecord, "outcome" | "actions">): Style {
  const isClean = actions.every((action) => actionFate(action) === "executed");
  return outcome === "acted" && !isClean ? "odd" : STEP_STYLES[outcome];
}

/** One word for what became of an action: its status, or `failed` if it was executed and failed. */
export function actionFate(outcome: ActionOutcome | ActionResult): ActionStatus | "failed" {
  return outcome.status === "executed" && outcome.failed ? "failed" : outcome.status;
}

/** What became of an action, in a few words: one that was denied says by whom. */
export function fateWords(action: ActionRecord): string {
  const denial = action.status === "not_executed" ? action.denial : undefined;
  return denial === undefined ? actionFate(action) : `denied by ${harmlessLine(denial.by)}`;
}
