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
