import { MODEL_CALL_ERROR_KINDS } from "../_errors/model_call_error_kind.ts";
import type { ErrorInfo, ModelRetry } from "../_errors/error_info.ts";
import { arrayShape } from "./collection_shapes.ts";
import { objectShape, optionalField } from "./object_shape.ts";
import { amountShape, booleanShape, memberShape, stringShape } from "./scalar_shapes.ts";
import type { Shape } from "./shape.ts";

/** The shape of the attempts before one that ended a model call; an attempt may have had some of its own. */
export const modelRetriesShape: Shape<readonly ModelRetry[]> = (value, leniency) =>
  retriesShape(value, leniency);

/** The shape of an {@link ErrorInfo}. */
export const errorInfoShape: Shape<ErrorInfo> = objectShape({
  name: stringShape,
  message: stringShape,
  stack: optionalField(stringShape),
  kind: optionalField(memberShape(MODEL_CALL_ERROR_KINDS)),
  retriable: optionalField(booleanShape),
  retries: optionalField(modelRetriesShape),
});

const modelRetryShape: Shape<ModelRetry> = objectShape({
  error: errorInfoShape,
  waitedMs: amountShape,
});

const retriesShape: Shape<readonly ModelRetry[]> = arrayShape(modelRetryShape, 1);
