import type { PlannedAction } from "../decision.ts";
import type {
  StoredActionDecision,
  StoredDecision,
  StoredDecisionRecord,
  StoredRecord,
  StoredReply,
  StoredReplyRecord,
  StoredToolCall,
} from "../stored_record.ts";
import { arrayShape } from "./collection_shapes.ts";
import { decisionShapes, plannedActionShape } from "./decision_shape.ts";
import { attemptShape, logRecordShapes } from "./log_record_shapes.ts";
import { modelReplyFields } from "./model_reply_shape.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import { countShape, jsonShape, literalShape, stringShape } from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";
import { eitherShape, unionShape } from "./union_shapes.ts";

const storedToolCallShape: Shape<StoredToolCall> = objectShape({
  id: optionalField(stringShape),
  name: stringShape,
  raw: stringShape,
  arguments: optionalField(jsonShape),
  argumentsError: optionalField(stringShape),
});

const storedReplyShape: Shape<StoredReply> = objectShape({
  ...modelReplyFields,
  toolCalls: optionalField(arrayShape(storedToolCallShape)),
});

const storedActionShape: Shape<PlannedAction | number> = eitherShape(
  (value) => typeof value === "number",
  countShape,
  plannedActionShape,
);

const storedDecisionShape: Shape<StoredDecision> = unionShape("kind", {
  ...decisionShapes,
  action: objectShape<StoredActionDecision>({
    kind: literalShape("action"),
    actions: arrayShape(storedActionShape, 1),
  }),
});

/** The shape of a {@link StoredRecord}. */
export const storedRecordShape: Shape<StoredRecord> = unionShape("type", {
  ...logRecordShapes,
  model_reply: objectShape<StoredReplyRecord>({
    type: literalShape("model_reply"),
    stepIndex: countShape,
    callId: stringShape,
    purpose: optionalField(literalShape("summary")),
    attempt: attemptShape,
    reply: storedReplyShape,
  }),
  decision: objectShape<StoredDecisionRecord>({
    type: literalShape("decision"),
    stepIndex: countShape,
    decision: storedDecisionShape,
    historyText: optionalField(stringShape),
  }),
});
