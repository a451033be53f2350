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

/** A tool call's id in history: unique in the run, and without the run id, so that equal runs give equal prompts. */
export function historyCallId(stepIndex: number, ordinal: number): string {
  return `s${stepIndex}_a${ordinal}`;
}

/** Whether an id has the form of those that a run gives to the tool calls of its own history. */
export function isHistoryCallId(id: string): boolean {
  return /^s\d+_a\d+$/.test(id);
}
