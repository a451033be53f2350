/** The id of a step's model call, the same for every attempt. */
export function callId(runId: string, stepIndex: number): string {
  return `${runId}/s${stepIndex}`;
}

/** The id of a step's action, the same for every attempt. */
export function actionId(runId: string, stepIndex: number, ordinal: number): string {
  return `${runId}/s${stepIndex}_a${ordinal}`;
}
