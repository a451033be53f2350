import {
  countCodePoints,
  deepFreeze,
  messageSize,
  type StepRecord,
  textMessage,
} from "../../types/mod.ts";
import { type HistoryMessage, historyMessages, type HistoryStyle } from "./history.ts";

/** A part of history as a prompt shows it: a step, or what stands for several. */
export type HistoryUnit = StepUnit | NoticeUnit;

interface Unit {
  /** The first and the last step that it is of. */
  readonly steps: readonly [from: number, to: number];
  readonly messages: readonly HistoryMessage[];
  /** The size of the messages. */
  readonly size: number;
  /** The size of the messages before any edit. */
  readonly originalSize: number;
}

/** A step, with notices in place of the results that were elided. */
export interface StepUnit extends Unit {
  readonly kind: "step";
  /** The step as it is shown. */
  readonly step: StepRecord;
  /** The sizes of the results that were elided, by the places of their actions. */
  readonly elided: ReadonlyMap<number, number>;
}

/** A message that stands for steps. */
export interface NoticeUnit extends Unit {
  readonly kind: "drop_steps" | "summarise";
}

/** A recorded step, as nothing of it is edited. */
export function stepUnit(step: StepRecord, style: HistoryStyle): StepUnit {
  const messages = historyMessages(step, style);
  const size = sizeOf(messages);
  const { stepIndex } = step;
  const whole = { messages, size, originalSize: size };
  return { kind: "step", steps: [stepIndex, stepIndex], step, elided: new Map(), ...whole };
}

/** A step with a notice in place of an action's result. */
export function elideResult(
  unit: StepUnit,
  ordinal: number,
  notice: string,
  style: HistoryStyle,
): StepUnit {
  const action = unit.step.actions[ordinal];
  if (action === undefined) return unit;
  const elided = new Map(unit.elided).set(ordinal, countCodePoints(action.observation));
  const actions = unit.step.actions.with(ordinal, { ...action, observation: notice });
  const step = { ...unit.step, actions };
  const messages = historyMessages(step, style).map((message) => {
    const originalSize = message.ordinal === undefined ? undefined : elided.get(message.ordinal);
    if (originalSize === undefined) return message;
    return { ...message, edit: { stage: "elide_observations", originalSize } as const };
  });
  return { ...unit, step, elided, messages, size: sizeOf(messages) };
}

/** What stands for units that follow each other. */
export function noticeUnit(
  kind: NoticeUnit["kind"],
  units: readonly [HistoryUnit, ...HistoryUnit[]],
  text: string,
): NoticeUnit {
  const [first] = units;
  const last = units.at(-1) ?? first;
  const originalSize = originalSizeOf(units);
  const message = { message: deepFreeze(textMessage("user", text)), part: "notice" } as const;
  const messages = [{ ...message, edit: { stage: kind, originalSize } }];
  const steps = [first.steps[0], last.steps[1]] as const;
  return { kind, steps, messages, size: countCodePoints(text), originalSize };
}

/** The size of units before any edit. */
export function originalSizeOf(units: readonly HistoryUnit[]): number {
  return units.reduce((sum, { originalSize }) => sum + originalSize, 0);
}

function sizeOf(messages: readonly HistoryMessage[]): number {
  return messages.reduce((sum, { message }) => sum + messageSize(message), 0);
}
