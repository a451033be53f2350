import type { ContextEditRecord } from "../../types/mod.ts";
import type { HistoryStyle } from "./history.ts";
import { elideResult, type HistoryUnit, noticeUnit } from "./history_unit.ts";

/** What an edit does. */
export type ContextEdit = Pick<
  ContextEditRecord,
  "stage" | "steps" | "beforeChars" | "afterChars" | "replacements"
>;

/** History after an edit. */
export interface EditedHistory {
  readonly units: readonly HistoryUnit[];
  /** The place of the first unit that is another than before. */
  readonly from: number;
}

/** Applies an edit to history as a prompt shows it. Absent: it does not fit. */
export function applyEdit(
  units: readonly HistoryUnit[],
  edit: ContextEdit,
  style: HistoryStyle,
): EditedHistory | undefined {
  return edit.stage === "elide_observations"
    ? elided(units, edit, style)
    : replaced(units, edit.stage, edit);
}

function elided(
  units: readonly HistoryUnit[],
  { steps: [first], replacements }: ContextEdit,
  style: HistoryStyle,
): EditedHistory | undefined {
  const from = units.findIndex(({ steps }) => steps[0] === first);
  const after = [...units];
  for (const { step, ordinal, text } of replacements) {
    const at = after.findIndex(({ steps }) => steps[0] === step);
    const unit = after[at];
    if (unit?.kind !== "step" || ordinal === undefined || at < from) return undefined;
    if (unit.step.actions[ordinal] === undefined || unit.elided.has(ordinal)) return undefined;
    after[at] = elideResult(unit, ordinal, text, style);
  }
  return from === -1 ? undefined : { units: after, from };
}

function replaced(
  units: readonly HistoryUnit[],
  kind: "drop_steps" | "summarise",
  { steps, replacements }: ContextEdit,
): EditedHistory | undefined {
  const from = units.findIndex((unit) => unit.steps[0] === steps[0]);
  const to = units.findIndex((unit) => unit.steps[1] === steps[1]);
  const [first, ...others] = units.slice(from, to + 1);
  const [replacement, ...more] = replacements;
  if (from === -1 || first === undefined || replacement === undefined) return undefined;
  if (more.length > 0 || replacement.step !== steps[0] || replacement.ordinal !== undefined) {
    return undefined;
  }
  const notice = noticeUnit(kind, [first, ...others], replacement.text);
  return { units: units.toSpliced(from, to + 1 - from, notice), from };
}
