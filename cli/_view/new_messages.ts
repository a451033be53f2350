import { rebuildPrompt, type RunLog } from "../../session/mod.ts";
import type { Message, StepRecord } from "../../types/mod.ts";

/**
 * What is new in the prompt of each step, asked for in the order of the steps. Up to the next edit each prompt begins with
 * the one before it, so the last of them holds all, and only that is laid out.
 */
export function newMessagesOf(log: RunLog): (step: StepRecord) => readonly Message[] {
  const { steps, started, edits } = log;
  if (started.inputs === undefined) return () => [];
  const callOf = new Map<number, number>();
  for (const [i, { stepIndex, purpose }] of log.calls.entries()) {
    if (purpose === undefined) callOf.set(stepIndex, i);
  }
  const edited = new Set(edits.map(({ stepIndex }) => stepIndex));
  let lastLaidOut = -1;
  let prompt: readonly Message[] = [];
  let promptBefore: readonly Message[] = [];
  return ({ stepIndex, promptMessages }) => {
    const isFirst = stepIndex > lastLaidOut;
    if (isFirst) {
      promptBefore = stepIndex === lastLaidOut + 1 ? prompt : promptOf(log, callOf, stepIndex - 1);
      lastLaidOut = stepIndex;
      while (lastLaidOut + 1 < steps.length && !edited.has(lastLaidOut + 1)) lastLaidOut += 1;
      prompt = promptOf(log, callOf, lastLaidOut);
    }
    const from = isFirst
      ? firstChange(promptBefore, prompt)
      : steps[stepIndex - 1]?.promptMessages ?? 0;
    return prompt.slice(from, promptMessages);
  };
}

function promptOf(
  log: RunLog,
  callOf: ReadonlyMap<number, number>,
  stepIndex: number,
): readonly Message[] {
  const call = callOf.get(stepIndex);
  return call === undefined ? [] : rebuildPrompt(log, call);
}

/** Where a prompt begins to be another than the one before it. */
function firstChange(before: readonly Message[], prompt: readonly Message[]): number {
  const texts = before.map((message) => JSON.stringify(message));
  const at = prompt.findIndex((message, i) => JSON.stringify(message) !== texts[i]);
  return at === -1 ? prompt.length : at;
}
