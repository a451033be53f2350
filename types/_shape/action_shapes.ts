import type { ActionOutcome, Denial } from "../action_result.ts";
import type { ActionResultRecord } from "../log_record.ts";
import { errorInfoShape } from "./error_info_shape.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import {
  absentShape,
  amountShape,
  booleanShape,
  countShape,
  literalShape,
  stringShape,
} from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";
import { unionShape } from "./union_shapes.ts";

const observed = {
  observation: stringShape,
  observationSynthetic: booleanShape,
  truncatedChars: countShape,
};

const executed = {
  ...observed,
  status: literalShape("executed"),
  failed: booleanShape,
  completed: booleanShape,
};

const unexecuted = {
  ...observed,
  failed: optionalField(absentShape('only an action that is "executed" has it')),
  completed: optionalField(absentShape('only an action that is "executed" has it')),
};

const notExecuted = { ...unexecuted, status: literalShape("not_executed") };
const environmentFailed = { ...unexecuted, status: literalShape("environment_failed") };
const unknown = { ...unexecuted, status: literalShape("unknown") };

/** The shape of an {@link ActionOutcome}. */
export const actionOutcomeShape: Shape<ActionOutcome> = unionShape("status", {
  executed: objectShape(executed),
  not_executed: objectShape(notExecuted),
  environment_failed: objectShape(environmentFailed),
});

const denialShape: Shape<Denial> = objectShape({
  by: stringShape,
  reason: optionalField(stringShape),
});

const recorded = {
  type: literalShape("action_result"),
  stepIndex: countShape,
  ordinal: countShape,
  actionId: stringShape,
  toolCompletes: booleanShape,
  durationMs: amountShape,
  resolvedBy: optionalField(stringShape),
};

/** The shape of an {@link ActionResultRecord}. */
export const actionResultRecordShape: Shape<ActionResultRecord> = unionShape("status", {
  executed: objectShape({ ...recorded, ...executed }),
  not_executed: objectShape({
    ...recorded,
    ...notExecuted,
    denial: optionalField(denialShape),
  }),
  environment_failed: objectShape({
    ...recorded,
    ...environmentFailed,
    error: optionalField(errorInfoShape),
  }),
  unknown: objectShape({ ...recorded, ...unknown }),
});
