import type { ErrorInfo } from "./error_info.ts";
import { present } from "../_shape/present.ts";
import { copyShaped } from "../_shape/copy_shaped.ts";
import { modelRetriesShape } from "../_shape/error_info_shape.ts";
import { takeCodePoints } from "../_text/code_points.ts";
import { ModelCallError } from "./model_call_error.ts";
import { MODEL_CALL_ERROR_KINDS } from "./model_call_error_kind.ts";

/** What a record keeps of something that was thrown, whatever it is. Never throws. */
export function errorInfo(thrown: unknown): ErrorInfo {
  try {
    if (!(thrown instanceof Error)) return { name: typeof thrown, message: String(thrown) };
    const said = { name: String(thrown.name), message: String(thrown.message) };
    return thrown instanceof ModelCallError ? { ...said, ...callFailure(thrown) } : said;
  } catch {
    return { name: typeof thrown, message: "(it cannot be shown as text)" };
  }
}

/** How many code points of a stack are recorded. */
export const STACK_CHARS = 2_000;

/** Like {@link errorInfo}, with the beginning of the stack where it was an error that has one. Never throws. */
export function errorInfoWithStack(thrown: unknown): ErrorInfo {
  return present({ ...errorInfo(thrown), stack: stackOf(thrown) });
}

function stackOf(thrown: unknown): string | undefined {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === "string" ? takeCodePoints(stack, STACK_CHARS) : undefined;
  } catch {
    return undefined;
  }
}

/** What a failed call says beside its message, as far as it is what its type promises. */
function callFailure({ kind, retriable, retries }: ModelCallError): Partial<ErrorInfo> {
  const copied = copyShaped(retries, modelRetriesShape);
  return present({
    kind: MODEL_CALL_ERROR_KINDS.includes(kind) ? kind : undefined,
    retriable: typeof retriable === "boolean" ? retriable : undefined,
    retries: copied.ok ? copied.value : undefined,
  });
}
