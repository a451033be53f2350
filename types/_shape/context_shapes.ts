import {
  CONTEXT_STAGES,
  type ContextPolicy,
  type ContextStage,
} from "../_context/context_policy.ts";
import {
  type ContextEditFailedRecord,
  type ContextEditRecord,
  type ContextReplacement,
  SUMMARY_FAILURES,
} from "../_context/context_records.ts";
import { arrayShape } from "./collection_shapes.ts";
import { errorInfoShape } from "./error_info_shape.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import {
  countShape,
  listedNameShape,
  literalShape,
  memberShape,
  stringShape,
  wholeNumberShape,
} from "./scalar_shapes.ts";
import { type Shape, shapeFault } from "./shape.ts";
import { unionShape } from "./union_shapes.ts";

const stageShape: Shape<ContextStage> = unionShape("kind", {
  elide_observations: objectShape({
    kind: literalShape("elide_observations"),
    minChars: wholeNumberShape(1),
    notice: stringShape,
  }),
  drop_steps: objectShape({ kind: literalShape("drop_steps"), notice: stringShape }),
  summarise: objectShape({
    kind: literalShape("summarise"),
    instruction: stringShape,
    notice: stringShape,
    maxSummaryChars: wholeNumberShape(1),
  }),
});

/** The shape of a {@link ContextPolicy}. */
export const contextPolicyShape: Shape<ContextPolicy> = objectShape({
  triggerChars: wholeNumberShape(1),
  targetChars: wholeNumberShape(1),
  triggerTokens: optionalField(wholeNumberShape(1)),
  minReclaimChars: optionalField(countShape),
  keepFirstSteps: optionalField(countShape),
  keepLastSteps: wholeNumberShape(1),
  pinnedTools: optionalField(arrayShape(listedNameShape)),
  stages: arrayShape(stageShape, 1),
});

const replacementShape: Shape<ContextReplacement> = objectShape({
  step: countShape,
  ordinal: optionalField(countShape),
  text: stringShape,
});

/** Two whole numbers, the second not less than the first. */
const rangeShape: Shape<readonly [from: number, to: number]> = (value, leniency) => {
  const fault = arrayShape(countShape)(value, leniency);
  if (fault !== undefined) return fault;
  return Array.isArray(value) && value.length === 2 && value[0] <= value[1]
    ? undefined
    : shapeFault(value, "it must be the first and the last step");
};

/** The shape of a {@link ContextEditRecord}. */
export const contextEditShape: Shape<ContextEditRecord> = objectShape({
  type: literalShape("context_edit"),
  stepIndex: countShape,
  edit: countShape,
  stage: memberShape(CONTEXT_STAGES),
  steps: rangeShape,
  beforeChars: countShape,
  afterChars: countShape,
  replacements: arrayShape(replacementShape, 1),
});

/** The shape of a {@link ContextEditFailedRecord}. */
export const contextEditFailedShape: Shape<ContextEditFailedRecord> = objectShape({
  type: literalShape("context_edit_failed"),
  stepIndex: countShape,
  stage: literalShape("summarise"),
  reason: memberShape(SUMMARY_FAILURES),
  callId: optionalField(stringShape),
  error: optionalField(errorInfoShape),
});
