import type { ErrorInfo, StepRecord } from "../../types/mod.ts";

/** What a run failed of in its last step, whole: its environment if that broke, whatever was skipped for it. */
export function failureWords(last: StepRecord): string {
  const { actions } = last;
  const broken = actions.findLast(({ status }) => status === "environment_failed");
  return errorWords(broken ?? actions.at(-1) ?? last);
}

/** What is known of a failure: its error, or else what the model was shown. */
export function errorWords(
  { error, observation = "" }: {
    readonly error?: ErrorInfo;
    readonly observation?: string;
  },
): string {
  return error === undefined ? observation : `${error.name}: ${error.message}`;
}
