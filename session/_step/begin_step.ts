import type { LiveRun } from "../_live/live_run.ts";
import { dueEdit } from "../_reading/due_edit.ts";
import { editContext } from "./edit_context.ts";
import { finishRun } from "./finish_run.ts";
import { callFirst, positionBeforeCall } from "./step_call.ts";
import { stopBeforeCall } from "./stop_before_call.ts";
import { isSuspending, suspend, type Suspension } from "./suspension.ts";

/** C of the last step, A, assembly and its edits, B; then the model is called, unless one of them ends the run. */
export function beginStep(live: LiveRun): Promise<Suspension | undefined> {
  const stop = stopBeforeCall(live);
  if (isSuspending(live) && stop?.tier !== "C") return suspend(live);
  if (stop !== undefined && stop.tier !== "B") return finishRun(live, stop);
  live.timer.restart();
  const planned = dueEdit(positionBeforeCall(live), live.assembly);
  return planned === undefined ? callFirst(live, stop) : editContext(live, planned);
}
