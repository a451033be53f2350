import type { RunCounters } from "./budget.ts";
import type { JsonValue } from "./json.ts";
import type { StepRecord } from "./step_record.ts";
import type { StopReason } from "./stop_reason.ts";

/** What a finished run gives its caller. */
export interface RunResult {
  /** The run's id. */
  readonly runId: string;
  /** Why it ended. */
  readonly stopReason: StopReason;
  /** Every condition of the deciding tier that was true, in the order of the contract. */
  readonly stopConditions: readonly StopReason[];
  /** The final answer. Absent: the run ended for another reason. */
  readonly answer?: JsonValue;
  /** The whole trajectory, in order. */
  readonly steps: readonly StepRecord[];
  /** What the run spent. */
  readonly counters: RunCounters;
  /** How many events of this call did not reach every sink: one threw, or they were dropped. */
  readonly eventDeliveryFailures: number;
  /** The hash of the log's last entry. It stands for the whole log: what a paper cites. */
  readonly logHead: string;
}
