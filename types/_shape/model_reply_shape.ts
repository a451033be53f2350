import { FINISH_REASONS, type ModelReply, type ReplyToolCall } from "../model_reply.ts";
import { usageShape } from "./budget_shapes.ts";
import { arrayShape } from "./collection_shapes.ts";
import { modelRetriesShape } from "./error_info_shape.ts";
import { type ObjectFields, objectShape, optionalField } from "./object_shape.ts";
import { countShape, jsonShape, memberShape, stringShape } from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";

const replyToolCallShape: Shape<ReplyToolCall> = objectShape({
  id: optionalField(stringShape),
  name: stringShape,
  arguments: jsonShape,
  rawArguments: stringShape,
  argumentsError: optionalField(stringShape),
});

/** The shape of each field of a {@link ModelReply}. */
export const modelReplyFields: ObjectFields<ModelReply> = {
  text: stringShape,
  rawText: optionalField(stringShape),
  reasoning: optionalField(stringShape),
  toolCalls: optionalField(arrayShape(replyToolCallShape)),
  finishReason: optionalField(memberShape(FINISH_REASONS)),
  rawFinishReason: optionalField(stringShape),
  usage: optionalField(usageShape),
  servedModel: optionalField(stringShape),
  responseId: optionalField(stringShape),
  providerData: optionalField(jsonShape),
  hiddenSecrets: optionalField(countShape),
  retries: optionalField(modelRetriesShape),
  servedBy: optionalField(countShape),
};

/** The shape of a {@link ModelReply}. */
export const modelReplyShape: Shape<ModelReply> = objectShape(modelReplyFields);
