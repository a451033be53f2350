/**
 * Recorded steps of every form that history knows, drawn with a fixed seed.
 *
 * @module
 */
import {
  type ActionRecord,
  digest,
  type StepOutcome,
  type StepRecord,
} from "../../../types/mod.ts";
import { drawing, jsonValue } from "../../types/json_values.ts";

/** What can become of an action. */
const FATES = [
  { status: "executed", failed: false, completed: false },
  { status: "executed", failed: true, completed: false },
  { status: "not_executed" },
  { status: "environment_failed" },
  { status: "unknown" },
] as const;
const TEXTS = ["", " ", "plain", "🌊 漢", "\ud83c", "a\r\nb", "{observation} $&"] as const;

/** Steps of a run under a protocol; those without an action come in each of their outcomes. */
export function generatedSteps(
  protocol: "text" | "native",
  count: number,
  seed: number,
): readonly StepRecord[] {
  const draw = drawing(seed);
  const text = () => TEXTS[draw(TEXTS.length)]!;
  return Array.from({ length: count }, (_, stepIndex) => {
    const kind = draw(4);
    if (kind === 0) return unanswered(stepIndex, text());
    const replied = {
      ...bare(stepIndex),
      reply: { text: text(), ...(draw(2) === 0 && { providerData: jsonValue(draw, 2) }) },
      historyText: text(),
    };
    if (kind === 1) {
      return {
        ...replied,
        outcome: "invalid_decision",
        decision: { kind: "invalid", explanation: "e" },
        observation: text(),
        observationSynthetic: false,
      };
    }
    const length = protocol === "native" ? 1 + draw(3) : 1;
    const actions = Array.from({ length }, (_, ordinal): ActionRecord => ({
      actionId: `r/s${stepIndex}_a${ordinal}`,
      action: jsonValue(draw, 1),
      ...(protocol === "native" && {
        toolCall: { id: "same", name: text(), arguments: jsonValue(draw, 2) },
      }),
      ...FATES[draw(FATES.length)]!,
      observation: text(),
      observationSynthetic: false,
      toolCompletes: false,
      truncatedChars: 0,
      attempts: 1,
      durationMs: 0,
    }));
    return { ...replied, outcome: "acted", decision: { kind: "action", actions }, actions };
  });
}

function bare(stepIndex: number): Omit<StepRecord, "outcome"> {
  return {
    stepIndex,
    modelCallId: `r/s${stepIndex}`,
    modelAttempts: 1,
    actions: [],
    promptChars: 0,
    promptMessages: 0,
    promptDigest: digest(""),
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 0,
  };
}

function unanswered(stepIndex: number, observation: string): StepRecord {
  const outcome: StepOutcome = stepIndex % 2 === 0 ? "model_call_failed" : "model_outcome_unknown";
  return { ...bare(stepIndex), outcome, observation, observationSynthetic: true };
}
