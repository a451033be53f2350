import type { ModelRetry } from "./error_info.ts";
import type { ModelCallErrorKind } from "./model_call_error_kind.ts";
import { PolyLoopError } from "./polyloop_error.ts";

/** What a model adapter knows of a failed call beside its message. */
export interface ModelCallErrorDetails {
  /** What kind of failure it was. */
  readonly kind: ModelCallErrorKind;
  /** Whether the same request may be tried again: a gateway may, or `retryingModel`; a run never does. */
  readonly retriable: boolean;
  /** The HTTP status. Absent: there was no response. */
  readonly status?: number;
  /** How long the server asked to wait, in milliseconds. Absent: it did not. */
  readonly retryAfterMs?: number;
  /** The text that had arrived. Absent: there cannot have been any. */
  readonly partialText?: string;
  /** The attempts before the one that this error ended. Absent: there were none. */
  readonly retries?: readonly ModelRetry[];
}

/** Thrown by model adapters: the call failed. */
export class ModelCallError extends PolyLoopError implements ModelCallErrorDetails {
  readonly kind: ModelCallErrorKind;
  readonly retriable: boolean;
  declare readonly status?: number;
  declare readonly retryAfterMs?: number;
  declare readonly partialText?: string;
  declare readonly retries?: readonly ModelRetry[];

  /** Makes an error with what is known of the failed call. */
  constructor(message: string, details: ModelCallErrorDetails, options?: ErrorOptions) {
    super("model_call", message, options);
    this.kind = details.kind;
    this.retriable = details.retriable;
    if (details.status !== undefined) this.status = details.status;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.partialText !== undefined) this.partialText = details.partialText;
    if (details.retries !== undefined) this.retries = details.retries;
  }
}
