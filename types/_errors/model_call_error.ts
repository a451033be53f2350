import { PolyLoopError } from "./polyloop_error.ts";

/**
 * What kind of failure a model call met.
 *
 * - `context_length`: the prompt is too long for the model.
 * - `quota`: the account may spend no more.
 * - `content_policy`: the provider refuses the contents.
 * - `auth`: the key is missing, wrong, or not allowed to do this.
 * - `not_found`: there is no such model or address.
 * - `timeout`: the server took too long.
 * - `conflict`: the server is in a state that does not allow it now.
 * - `too_large`: the request has too many bytes.
 * - `rate_limit`: too many requests or tokens in a time.
 * - `overloaded`: the server has too much to do.
 * - `server`: the server failed.
 * - `bad_request`: the server cannot take the request as it is.
 * - `connection`: the server was not reached.
 * - `stream_truncated`: the answer broke off.
 * - `malformed_response`: the answer is not what it must be.
 */
export type ModelCallErrorKind = (typeof MODEL_CALL_ERROR_KINDS)[number];

/** Every {@link ModelCallErrorKind}. */
export const MODEL_CALL_ERROR_KINDS = [
  "context_length",
  "quota",
  "content_policy",
  "auth",
  "not_found",
  "timeout",
  "conflict",
  "too_large",
  "rate_limit",
  "overloaded",
  "server",
  "bad_request",
  "connection",
  "stream_truncated",
  "malformed_response",
] as const;

/** What a model adapter knows of a failed call beside its message. */
export interface ModelCallErrorDetails {
  /** What kind of failure it was. */
  readonly kind: ModelCallErrorKind;
  /** Whether a gateway may try the same request again. The library itself never does. */
  readonly retriable: boolean;
  /** The HTTP status. Absent: there was no response. */
  readonly status?: number;
  /** How long the server asked to wait, in milliseconds. Absent: it did not. */
  readonly retryAfterMs?: number;
  /** The text that had arrived. Absent: there cannot have been any. */
  readonly partialText?: string;
}

/** Thrown by model adapters: the call failed. */
export class ModelCallError extends PolyLoopError implements ModelCallErrorDetails {
  readonly kind: ModelCallErrorKind;
  readonly retriable: boolean;
  declare readonly status?: number;
  declare readonly retryAfterMs?: number;
  declare readonly partialText?: string;

  /** Makes an error with what is known of the failed call. */
  constructor(message: string, details: ModelCallErrorDetails, options?: ErrorOptions) {
    super("model_call", message, options);
    this.kind = details.kind;
    this.retriable = details.retriable;
    if (details.status !== undefined) this.status = details.status;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.partialText !== undefined) this.partialText = details.partialText;
  }
}
