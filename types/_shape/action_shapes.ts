import type { ActionOutcome, Denial } from "../action_result.ts";
import type { ActionResultRecord } from "../log_record.ts";
import { errorInfoShape } from "./error_info_shape.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import {
  absentShape,
  amountShape,
  answerShape,
  booleanShape,
  countShape,
  literalShape,
  stringShape,
} from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";
import { eitherShape, unionShape } from "./union_shapes.ts";

const observed = {
  observation: stringShape,
  observationSynthetic: booleanShape,
  truncatedChars: countShape,
};

const executed = { ...observed, status: literalShape("executed"), completed: booleanShape };

const failed = { ...executed, failed: answerShape(true), error: optionalField(errorInfoShape) };

const succeeded = {
  ...executed,
  failed: answerShape(false),
  error: optionalField(absentShape("only an action that failed has it")),
};

const unexecuted = {
  ...observed,
  failed: optionalField(absentShape('only an action that is "executed" has it')),
  completed: optionalField(absentShape('only an action that is "executed" has it')),
};

const notExecuted = { ...unexecuted, status: literalShape("not_executed") };
const environmentFailed = {
  ...unexecuted,
  status: literalShape("environment_failed"),
  error: optionalField(errorInfoShape),
  effect: optionalField(literalShape("unknown")),
};
const unknown = { ...unexecuted, status: literalShape("unknown") };

type Failed<T> = Extract<T, { readonly status: "executed"; readonly failed: true }>;
type Succeeded<T> = Extract<T, { readonly status: "executed"; readonly failed: false }>;

function isFailed(outcome: unknown): boolean {
  return Object(outcome).failed === true;
}

/** The shape of an {@link ActionOutcome}. */
export const actionOutcomeShape: Shape<ActionOutcome> = unionShape("status", {
  executed: eitherShape(
    isFailed,
    objectShape<Failed<ActionOutcome>>(failed),
    objectShape<Succeeded<ActionOutcome>>(succeeded),
  ),
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
  executed: eitherShape(
    isFailed,
    objectShape<Failed<ActionResultRecord>>({ ...recorded, ...failed }),
    objectShape<Succeeded<ActionResultRecord>>({ ...recorded, ...succeeded }),
  ),
  not_executed: objectShape({
    ...recorded,
    ...notExecuted,
    denial: optionalField(denialShape),
  }),
  environment_failed: objectShape({ ...recorded, ...environmentFailed }),
  unknown: objectShape({ ...recorded, ...unknown }),
});
