import type { ParentAction, RunOrigin } from "../_ids/run_origin.ts";
import { objectShape } from "./object_shape.ts";
import { countShape, digestShape, stringShape } from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";

/** The shape of a {@link RunOrigin}. */
export const runOriginShape: Shape<RunOrigin> = objectShape({
  runId: stringShape,
  logHead: digestShape,
  steps: countShape,
  historySteps: countShape,
  root: stringShape,
});

/** The shape of a {@link ParentAction}. */
export const parentActionShape: Shape<ParentAction> = objectShape({
  runId: stringShape,
  actionId: stringShape,
});
