import {
  type ContentBlock,
  type Injection,
  type Message,
  type Provenance,
  ROLES,
  type RunContext,
  type ToolSchema,
} from "../message.ts";
import { arrayShape } from "./collection_shapes.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import {
  booleanShape,
  jsonShape,
  listedNameShape,
  literalShape,
  memberShape,
  stringShape,
} from "./scalar_shapes.ts";
import { type Shape, shapeFault } from "./shape.ts";
import { unionShape } from "./union_shapes.ts";

/** The shape of a {@link Provenance}. */
const provenanceShape: Shape<Provenance> = objectShape({
  source: stringShape,
  version: stringShape,
  trust: optionalField(stringShape),
});

/** The shape of a {@link ContentBlock}. */
const contentBlockShape: Shape<ContentBlock> = unionShape("type", {
  text: objectShape({ type: literalShape("text"), text: stringShape }),
  tool_call: objectShape({
    type: literalShape("tool_call"),
    toolCallId: stringShape,
    name: stringShape,
    arguments: jsonShape,
  }),
  tool_result: objectShape({
    type: literalShape("tool_result"),
    toolCallId: stringShape,
    text: stringShape,
    isError: booleanShape,
  }),
});

const contentBlocksShape: Shape<readonly ContentBlock[]> = arrayShape(contentBlockShape, 1);

const wholeMessageShape: Shape<Message> = objectShape({
  role: memberShape(ROLES),
  content: (value, leniency) =>
    typeof value === "string"
      ? shapeFault(value, "it must be an array of blocks, as textMessage(role, text) gives it")
      : contentBlocksShape(value, leniency),
  providerData: optionalField(jsonShape),
  provenance: optionalField(provenanceShape),
});

/** The shape of a {@link Message}. */
export const messageShape: Shape<Message> = (value, leniency) =>
  typeof value === "string"
    ? shapeFault(value, "it must be a message, as textMessage(role, text) gives it")
    : wholeMessageShape(value, leniency);

/** The shape of an {@link Injection}. */
export const injectionShape: Shape<Injection> = objectShape({
  entryId: listedNameShape,
  content: stringShape,
  provenance: optionalField(provenanceShape),
});

/** The shape of a {@link RunContext}. */
export const runContextShape: Shape<RunContext> = objectShape({
  runLevel: arrayShape(messageShape),
  goalLevel: arrayShape(messageShape),
});

/** The shape of a {@link ToolSchema}. */
export const toolSchemaShape: Shape<ToolSchema> = objectShape({
  name: stringShape,
  description: stringShape,
  parameters: jsonShape,
});
