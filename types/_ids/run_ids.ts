/** The id of a step's model call, the same for every attempt. */
export function callId(runId: string, stepIndex: number): string {
  return `${runId}/s${stepIndex}`;
}

/** The id of a call that sums up steps before a step's call: the first is 0. */
export function summaryCallId(runId: string, stepIndex: number, summary: number): string {
  return `${callId(runId, stepIndex)}_c${summary}`;
}

/** The id of a step's action, the same for every attempt. */
export function actionId(runId: string, stepIndex: number, ordinal: number): string {
  return `${runId}/${historyCallId(stepIndex, ordinal)}`;
}

/**
 * A tool call's id in history: unique in the conversation, and without the run id, so that equal runs give equal prompts.
 *
 * @param step The step's place in the conversation, from 0: in the run, if that goes on from no other.
 */
export function historyCallId(step: number, ordinal: number): string {
  return `s${step}_a${ordinal}`;
}

/** The step that an id names in the form of {@link historyCallId}; nothing if it is of another form. */
export function historyStepOf(id: string): number | undefined {
  const [, step] = /^s(\d+)_a\d+$/.exec(id) ?? [];
  return step === undefined ? undefined : Number(step);
}
