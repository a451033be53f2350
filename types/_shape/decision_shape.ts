import type { Decision, PlannedAction, ToolCall } from "../decision.ts";
import { arrayShape } from "./collection_shapes.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import { jsonShape, literalShape, stringShape } from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";
import { type UnionMembers, unionShape } from "./union_shapes.ts";

const toolCallShape: Shape<ToolCall> = objectShape({
  id: optionalField(stringShape),
  name: stringShape,
  arguments: jsonShape,
});

/** The shape of a {@link PlannedAction}. */
export const plannedActionShape: Shape<PlannedAction> = objectShape({
  action: jsonShape,
  toolName: optionalField(stringShape),
  toolCall: optionalField(toolCallShape),
});

/** The shape of each kind of {@link Decision}. */
export const decisionShapes: UnionMembers<Decision, "kind"> = {
  action: objectShape({
    kind: literalShape("action"),
    actions: arrayShape(plannedActionShape, 1),
  }),
  final_answer: objectShape({ kind: literalShape("final_answer"), answer: jsonShape }),
  invalid: objectShape({
    kind: literalShape("invalid"),
    explanation: stringShape,
    synthetic: optionalField(literalShape(true)),
  }),
};

/** The shape of a {@link Decision}. */
export const decisionShape: Shape<Decision> = unionShape("kind", decisionShapes);
