import type { ActionOutcome } from "../action_result.ts";
import { objectShape } from "./object_shape.ts";
import { booleanShape, countShape, memberShape, stringShape } from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";

/** The shape of an {@link ActionOutcome}. */
export const actionOutcomeShape: Shape<ActionOutcome> = objectShape({
  status: memberShape(["executed", "not_executed", "environment_failed"]),
  failed: booleanShape,
  observation: stringShape,
  observationSynthetic: booleanShape,
  completed: booleanShape,
  truncatedChars: countShape,
});
