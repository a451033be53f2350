import type {
  ContextEditFailedRecord,
  ContextEditRecord,
  ModelReplyRecord,
  RunFinishedRecord,
  RunStartedRecord,
  StepRecord,
} from "../../types/mod.ts";

/** What of a log a trace is made of: what `readLog` gives has it. */
export interface TracedLog {
  /** The run's id. */
  readonly runId: string;
  /** The started record. */
  readonly started: RunStartedRecord;
  /** The recorded steps, in order. */
  readonly steps: readonly StepRecord[];
  /** Each model-call intent, in order. Absent: calls that sum up steps have no spans. */
  readonly calls?: readonly {
    /** The step that it belongs to, from 0. */
    readonly stepIndex: number;
    /** The call's id. */
    readonly callId: string;
    /** What it is for. Absent: the step's decision. */
    readonly purpose?: "summary";
    /** When it was about to be made. */
    readonly at: string;
  }[];
  /** The replies that sum up steps, in order. Absent: there are none. */
  readonly summaries?: readonly ModelReplyRecord[];
  /** The edits of the prompt and the summaries that failed, in order. Absent: there are none. */
  readonly edits?: readonly (ContextEditRecord | ContextEditFailedRecord)[];
  /** The finished record. Absent: the run has not finished. */
  readonly finished?: RunFinishedRecord;
  /** The hash of the log's last entry. */
  readonly logHead: string;
}
