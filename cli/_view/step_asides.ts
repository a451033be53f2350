import type { RunLogSummary } from "../../session/mod.ts";
import type {
  ContextEditFailedRecord,
  ContextEditRecord,
  LogRecord,
  ModelCallWithdrawnRecord,
  ModelReplyRecord,
} from "../../types/mod.ts";

/** What a log says of a step beside the step: edits of its prompt, summaries made for it, calls that were given up. */
export type StepAside =
  | ContextEditRecord
  | ContextEditFailedRecord
  | ModelCallWithdrawnRecord
  | ModelReplyRecord;

/** What is on record beside the steps, by step. */
export class StepAsides {
  readonly #byStep = new Map<number, StepAside[]>();

  /** Those of a log that was read. */
  static of({ summaries, edits, withdrawals }: RunLogSummary): StepAsides {
    const asides = new StepAsides();
    for (const record of [...summaries, ...edits, ...withdrawals]) asides.add(record);
    return asides;
  }

  /** Takes a record of a log in, if it is one of these. */
  add(record: LogRecord): void {
    const isAside = record.type === "context_edit" || record.type === "context_edit_failed" ||
      record.type === "model_call_withdrawn" ||
      (record.type === "model_reply" && record.purpose !== undefined);
    if (!isAside) return;
    const own = this.#byStep.get(record.stepIndex);
    if (own === undefined) this.#byStep.set(record.stepIndex, [record]);
    else own.push(record);
  }

  /** Those of a step; empty if there are none. */
  at(stepIndex: number): readonly StepAside[] {
    return this.#byStep.get(stepIndex) ?? [];
  }
}
